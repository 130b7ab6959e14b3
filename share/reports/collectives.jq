# Collectives of all ranks together (tl-collective): sizes, latency, bandwidth, skew and waiting; who was late; clocks;
# what could not be matched, and why.
#: answers: which collectives belong together over ranks, how fast were they, and who was late
#: needs: tl-tree | tl-overlap | tl-reliability | tl-collective
#: sets
include "figures";

def median: sort | if length == 0 then null else .[(length - 1) / 2 | floor] end;
def first_ranks: if length <= 8 then map(tostring) | join(" ") else (.[:7] | map(tostring) | join(" ")) + " ... \(.[-1])" end;
def reasons:
{ends_apart: "ends lie too far apart", few: "too few operations for times to tell", group_ambiguous: "several groups have this name and size",
 lost: "a member lacks it", mismatch: "members contradict each other", missing_ranks: "members without a trace",
 no_match: "operations contradict each other", peer_unknown: "a send or receive without a peer",
 shift_unsure: "several places fit equally well", shifted: "a window begins with another operation", size_unknown: "number of ranks not known"};

. as $all
| (records("ranks")[0] // {}) as $ranks
| records("comm_group") as $groups
| records("collective") as $collectives
| (records("straggler") | sort_by(-(.caused_us // -1), .rank)) as $stragglers
| records("clock") as $clocks
| ($groups | map({key: "\(.group)", value: .}) | from_entries) as $group
| ($stragglers | map(.comm_us) | add // 0) as $comm_us

| {h: "Collectives of \(if ($ranks.missing // 0) > 0 then "the " else "" end)\(plural($ranks.ranks | length; "rank"))\(if ($ranks.missing // 0) > 0 then " that have a trace, of \($ranks.world_size)" else "" end)"},
  ( if ($ranks.duplicates // 0) > 0 then "\(plural($ranks.duplicates; "trace")) left out: another one is of the same rank." else empty end ),
  ( if ($groups | length) == 0 then "No rank communicates."
    else
      {columns: [{name: "group"}, {name: "kind"}, {name: "dtype"}, {name: "bytes", num: 0}, {name: "n", num: 0},
                 {name: "min", num: 1}, {name: "median", num: 1}, {name: "max", num: 1}, {name: "skew", num: 1}, {name: "max", num: 1},
                 {name: "algo", num: 2}, {name: "bus", num: 2}, {name: "wait %", num: 1}],
       rows: ($collectives | group_by([.group, .kind, .dtype, .bytes]) | map(
         (map(.latency_us) | median) as $latency
         | (map(select(.latency_us == $latency))[0]) as $typical
         | [$group["\(.[0].group)"].name, .[0].kind, .[0].dtype, .[0].bytes, length,
            (map(.latency_us) | min), $latency, (map(.latency_us) | max),
            (map(.start_skew_us // empty) | median), (map(.start_skew_us // empty) | max), $typical.algo_gb_s, $typical.bus_gb_s,
            (map(select(.wait_us)) | if length == 0 or (map(.dur_us | add) | add) <= 0 then null
              else 100 * (map(.wait_us | add) | add) / (map(.dur_us | add) | add) end)]))},
      "Times in us (latency: least, median, most; skew of starts: median, most), bandwidths in 10^9 bytes/s",
      "at the median latency (algorithm, bus); wait: share of the members' time that is waiting.",
      ( if ($collectives | any(.missing > 0)) then "With ranks missing latencies are upper bounds, and rates lower bounds." else empty end ),

      {h: "Who was waited for"},
      ( if all($stragglers[]; .collectives == 0)
        then "No verdict: of no collective that all members leave together does every member have a trace."
        else empty end ),
      {columns: [{name: "rank", num: 0}, {name: "comm us", num: 1}, {name: "collectives", num: 0}, {name: "waited us", num: 1}, {name: "waited %", num: 1},
                 {name: "first", num: 0}, {name: "last", num: 0}, {name: "late us", num: 1}, {name: "caused us", num: 1}],
       rows: ($stragglers | map([.rank, .comm_us, .collectives, .wait_us,
         (if .wait_us == null or .comm_us <= 0 then null else 100 * .wait_us / .comm_us end), .first, .last, .late_us, .caused_us]))},

      ( if ($clocks | length) == 0 then empty
        else
          {h: "Clocks"},
          ( if any($clocks[]; .corrected) then
              {columns: [{name: "rank", num: 0}, {name: "via", num: 0}, {name: "offset us", num: 3}, {name: "spread us", num: 3}, {name: "pairs", num: 0}, {name: "corrected"}],
               rows: ($clocks | map(select(.corrected)) | map([.rank, .via, .offset_us, .spread_us, .pairs, .corrected]))}
            else "No clock is clearly off: offsets of at most \($clocks | map(.offset_us | fabs) | max) us, none taken out." end )
        end ),

      ( ($groups | map(select(.doubts or .matched < .ops))) as $doubtful
        | if ($doubtful | length) == 0 then empty
          else
            {h: "What could not be matched, and doubts"},
            {columns: [{name: "group"}, {name: "ranks"}, {name: "ops", num: 0}, {name: "not matched", num: 0}, {name: "left out"}, {name: "why"}],
             rows: ($doubtful | map([.name, (if .ranks then .ranks | first_ranks else null end), .ops, .ops - .matched,
               (if .unmatched then .unmatched | first_ranks else null end), ([.doubts // [] | .[] | reasons[.] // .] | join("; "))]))}
          end )
    end )
