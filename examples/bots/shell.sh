# A player for SCAT and SCOUT in POSIX sh: it picks any legal word, and so needs no rules at all.
# By hand: sh shell.sh    then type: match rng=5
#                                    act 0 legal=stock,pile,knock

seed=1
while read -r verb id words; do
    case $verb in
    referee) echo 'ready games=scat,scout' ;;
    match)
        words=${words##*rng=}
        words=${words%% *}
        seed=$((0x$(printf '%.7s' "$words")))       # seven hex digits fit any shell's arithmetic
        ;;
    act)
        words=${words##*legal=}
        IFS=, && set -- ${words%% *} && unset IFS   # the legal words are now $1 .. $#
        seed=$(((seed * 1103515245 + 12345) % 2147483648))
        shift $((seed / 65536 % $#))
        echo "move $id $1"
        ;;
    bye) exit ;;
    esac                                            # verbs that it does not know are let go by
done
