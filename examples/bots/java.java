// A player for SCAT and SCOUT in Java. SCAT: knock with 25, else draw at random and keep the best three cards.
// SCOUT: the longest show, else anything legal.
// By hand: java java.java    then type: act 0 phase=draw hand=KS,TS,4H legal=stock,pile,knock
import java.util.*;

class JavaPlayer {
    static int value(List<String> hand, String without) {  // of the best suit, one card left out
        int[] points = new int[128];
        for (String card : hand)
            if (card.length() == 2 && !card.equals(without))
                points[card.charAt(1)] += card.charAt(0) == 'A' ? 11 : Math.min(10, "..23456789TJQK".indexOf(card.charAt(0)));
        return Arrays.stream(points).max().getAsInt();
    }

    static int worth(String word, String phase, List<String> hand) {  // what speaks for a legal word
        if (phase.equals("discard")) return value(hand, word);
        if (word.equals("knock")) return value(hand, "") >= 25 ? 1 : -1;
        if (!word.startsWith("show:")) return 0;
        String[] ends = word.substring(5).split("-");
        return Integer.parseInt(ends[ends.length - 1]) - Integer.parseInt(ends[0]) + 1;
    }

    public static void main(String[] arguments) {
        Random rng = new Random(1);
        for (Scanner in = new Scanner(System.in); in.hasNextLine();) {
            String[] words = in.nextLine().trim().split(" +");
            Map<String, String> said = new HashMap<>();
            for (String word : words) {
                String[] pair = word.split("=", 2);
                said.put(pair[0], pair[pair.length - 1]);
            }
            if (words[0].equals("bye")) return;
            if (words[0].equals("referee")) System.out.println("ready games=scat,scout");  // System.out flushes lines
            if (words[0].equals("match")) rng = new Random(Long.parseUnsignedLong(said.getOrDefault("rng", "1"), 16));
            if (!words[0].equals("act")) continue;
            String phase = said.getOrDefault("phase", "");
            List<String> hand = Arrays.asList(said.getOrDefault("hand", "-").split(","));
            List<String> legal = Arrays.asList(said.get("legal").split(","));
            Collections.rotate(legal, rng.nextInt(legal.size()));  // settles ties at random
            System.out.println("move " + words[1] + " "
                + Collections.max(legal, Comparator.comparingInt(word -> worth(word, phase, hand))));
        }
    }
}
