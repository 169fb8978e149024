# witness.jq -- what the operators of the chain take by their own account, and
# by ours: from the report, the program's lines ("operators own_ns run_ns", one
# for each inference) and the database's ("timed|kernels_ns", likewise; of an
# inference that was not looked into the latter is empty).

def median: sort | (.[(length - 1) / 2 | floor] + .[length / 2 | floor]) / 2;
def percent: . * 1000 | round / 10;
def lines($by): split("\n") | map(select(. != "") | split($by)
    | map(if . == "" then null else tonumber end));

.gaps.sessions[0].inference as $i
| [[$own | lines(" ")[]], [$looked | lines("|")[]]] | transpose
| map({ operators: .[0][0], own: .[0][1], run: .[0][2],
        timed: (.[1][0] == 1), ours: .[1][1] })
| [.[] | select(.ours == null)] as $others
| [.[] | select(.timed)] as $timed
| "operators of chain, one row, that time themselves: " +
  "\([$others[] | .own / .run] | median | percent) % of an inference by their " +
  "own account, \($i.operators_us / $i.run_us | percent) % by ours; " +
  "in the same \($timed | length) inferences ours are " +
  "\([$timed[] | (.ours - .own) / .operators] | median | round) ns more each"
