-- A player for SCAT and SCOUT in Lua. SCAT: knock with 25, else draw at random and keep the best three cards.
-- SCOUT: the longest show, else anything legal.
-- By hand: lua lua.lua    then type: act 0 phase=draw hand=KS,TS,4H legal=stock,pile,knock

local high = { A = 11, K = 10, Q = 10, J = 10, T = 10 }

local function value(hand, without) -- of the best suit, one card left out
  local points, best = {}, 0
  for rank, suit in hand:gmatch("(%w)(%u)") do
    if rank .. suit ~= without then
      points[suit] = (points[suit] or 0) + (high[rank] or tonumber(rank))
      best = math.max(best, points[suit])
    end
  end
  return best
end

local function worth(word, phase, hand) -- what speaks for a legal word: the greatest is played
  if phase == "discard" then return value(hand, word) end
  if word == "knock" then return value(hand) >= 25 and 1 or -1 end
  local first, last = word:match("^show:(%d+)-?(%d*)$")
  if not first then return 0 end
  return (tonumber(last) or tonumber(first)) - tonumber(first) + 1
end

for line in io.lines() do
  local verb = line:match("^%S+")
  local function said(key) return line:match(" " .. key .. "=(%S+)") or "-" end
  if verb == "referee" then
    print("ready games=scat,scout")
  elseif verb == "match" then
    math.randomseed(tonumber(said("rng"):sub(1, 7), 16) or 1)
  elseif verb == "act" then
    local legal = {}
    for word in said("legal"):gmatch("[^,]+") do legal[#legal + 1] = word end
    local best = legal[math.random(#legal)] -- settles ties at random
    for _, word in ipairs(legal) do
      if worth(word, said("phase"), said("hand")) > worth(best, said("phase"), said("hand")) then best = word end
    end
    print("move " .. line:match("^act (%d+)") .. " " .. best)
  elseif verb == "bye" then
    break
  end
  io.flush()
end
