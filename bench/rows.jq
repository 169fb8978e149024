# rows.jq -- from the figures of tools/bench.sh to the rows of its table.

# --- numbers as people read them ---

def fixed($digits):
    (. * pow(10; $digits) | round) as $n
    | ($n | fabs | tostring)
    | ("0" * ($digits + 1 - length) // "") + .
    | (if $n < 0 then "-" else "" end) + .[:length - $digits]
        + if $digits > 0 then "." + .[length - $digits:] else "" end;

def ns: if fabs >= 10000 then "\(. / 1000 | fixed(2)) us"
    else "\(fixed(1)) ns" end;
def added: (if . >= 0 then "+" else "" end) + ns;
def us: "\(fixed(0)) us";
def millions: "\(. / 1000000 | fixed(2)) M/s";
def ratio: if . >= 10 then fixed(0) else fixed(2) end;

def verdict($held): if $held then "PASS" else "FAIL" end;

# --- rows ---

# A comparison in which calls went unrecorded measured something else.
def whole: if .recorded == .hooked_calls and .lost == 0 then null
    else "void: \(.recorded) of \(.hooked_calls) recorded" end;

def spread: "\(.median | fixed(4)) (\(.p25 | fixed(4))-\(.p75 | fixed(4)))";

def silero_rows: .silero | [
    { what: "Run of Silero v5, with the hook and bare",
      ours: (.hooked.median_ns | ns), other: (.bare.median_ns | ns),
      ratio: (.hooked_to_bare.ratio | spread), target: "<= +200 ns",
      verdict: (whole // (.hooked_to_bare.added_ns.median
          | "\(verdict(. <= 200)) \(added)")) },
    { what: "  bare and bare: the noise",
      ours: (.control.median_ns | ns), other: (.bare.median_ns | ns),
      ratio: (.control_to_bare.ratio | spread),
      verdict: (.control_to_bare.added_ns.median | added) }
];

def empty_row($what):
    (.hooked.min_ns - .bare.min_ns) as $least
    | { what: "Run of an empty stub, \($what)",
        ours: (.hooked.median_ns | ns), other: (.bare.median_ns | ns),
        ratio: (.hooked_to_bare.ratio.median | ratio), target: "<= +100 ns",
        verdict: (whole // (.hooked_to_bare.added_ns
            | "\(verdict(.median <= 100)) \(.median | added)"
            + " (\(.p25 | fixed(0))-\(.p75 | fixed(0)))"
            + ", least \($least | added)")) };

def python_row($what; $key):
    .empty_run.tensors.hooked_to_bare.added_ns.median as $ours
    | .python[$key].added_ns as $other
    | { what: "The same timed in Python, \($what)", ours: ($ours | added),
        other: ($other | added), ratio: ($ours / $other | fixed(4)),
        target: "< 1", verdict: verdict($ours < $other) };

def transport_rows: .writers as $writers | .ring as $ring
    | { pipe: .pipe, "datagram socket": .datagram } | to_entries | map(
    { what: "Records, \($writers) writing, ring and \(.key)",
      ours: ($ring.median_per_s | millions),
      other: (.value.median_per_s | millions),
      ratio: ($ring.median_per_s / .value.median_per_s | ratio),
      target: ">= 5 M/s",
      verdict: ($ring | verdict(.median_per_s >= 5000000 and .lost == 0)
          + ", \(.lost) lost") });

def paced_rows: .paced | [
    { what: "Inferences into SQLite, for 5 s",
      ours: "\(.recorded) kept", other: "\(.inferences) made",
      ratio: (.recorded / .inferences | ratio), target: "0 lost",
      verdict: (verdict(.recorded == .inferences and .lost == 0)
          + ", \(.lost) lost at \(.per_s | fixed(0))/s") },
    { what: "  the collector's share of a core",
      ours: "\(.collector.collector_core_share * 100 | fixed(1)) %" },
    (.collector.collector_peak_rss_bytes / 1000000
    | { what: "  the collector's memory, at most", ours: "\(fixed(1)) MB",
        target: "<= 25 MB", verdict: verdict(. <= 25) })
];

def exec_row($what; $other): {
    what: "Start of /bin/true, with the hook and \($what)",
    ours: (.hook.median_us | us), other: ($other | us),
    ratio: (.hook.median_us / $other | ratio),
    verdict: "+\(.hook.median_us - $other | us)"
};

def collect_row($what; $least): {
    what: "Looking at \($what), and psutil",
    ours: "\(.ours_us | fixed(1)) us", other: "\(.psutil_us | fixed(0)) us",
    ratio: (.ours_us / .psutil_us | fixed(4)),
    target: ">= \($least)x cheaper",
    verdict: "\(verdict(.times_cheaper >= $least)) \(.times_cheaper | fixed(0))x"
};

def rate_row($rates; $most):
    .rate_hz as $hz
    | ($rates | map(select(.processes == 0 and .rate_hz == $hz)) | first) as $bare
    | (if .working then "at work" else "quiet" end) as $how
    | { what: "\(.processes) \($how), watched at \($hz) Hz, and waking up alone",
        ours: "\(.core_percent | fixed(2)) % core",
        other: "\($bare.core_percent | fixed(2)) % core",
        target: "<= \($most) %", verdict: verdict(.core_percent <= $most) };

def sampling_rows: .sampling | (.collect | [
    (.one | collect_row("a process"; 10)),
    (.twenty | collect_row("20 processes"; 10)),
    (.one_sockets | collect_row("a process and its sockets"; 50)),
    (.twenty_sockets | collect_row("20 and their sockets"; 50))
]) + (.rates as $rates | $rates | map(select(.processes > 0)
    | rate_row($rates; if .rate_hz == 100 and .processes == 1 then 0.5
        else 3 end)));
# What `ortmeter export` does, from the database, and DuckDB from its memory.
def export_row($what; $ours; $other):
    { what: "\($what), ours and DuckDB\u0027s", ours: ($ours.per_s | millions),
      other: ($other | millions), ratio: ($ours.per_s / $other | ratio),
      target: ">= 1 M/s",
      verdict: ($ours | verdict(.per_s >= 1000000)
          + ", \(.per_cpu_s | millions) of CPU time") };

def writer_row($what; $ours; $other):
    { what: "  \($what)", ours: ($ours | millions), other: ($other | millions),
      ratio: ($ours / $other | ratio) };

def export_rows: .export | .duckdb as $d | [
    export_row("Stored rows into Parquet"; .stored_parquet;
        $d.one_core.parquet_rows_per_s),
    writer_row("both from memory, a core each"; .parquet.per_s;
        $d.one_core.parquet_rows_per_s),
    writer_row("the same, DuckDB with all cores"; .parquet.per_s;
        $d.all_cores.parquet_rows_per_s),
    export_row("Stored rows into CSV"; .stored_csv;
        $d.one_core.csv_rows_per_s),
    writer_row("both from memory, a core each"; .csv.per_s;
        $d.one_core.csv_rows_per_s),
    writer_row("the same, DuckDB with all cores"; .csv.per_s;
        $d.all_cores.csv_rows_per_s)
];

# A row is made of what SQLite needs for it and what we do around it.
def written_row($what; $ours; $bare):
    { what: "Rows into the store, \($what), and bare SQLite",
      ours: ($ours.per_s | millions), other: ($bare.per_s | millions),
      ratio: ($ours.per_s / $bare.per_s | ratio), target: ">= 0.50 M/s",
      verdict: ($ours | verdict(.per_s >= 500000)
          + ", \(.per_cpu_s | millions) of CPU time") };

def asked_row($what; $ms; $most):
    { what: $what, ours: "\($ms | fixed(1)) ms", target: "< \($most) ms",
      verdict: verdict($ms < $most) };

def store_rows: .store | (.written | .bare_sqlite as $bare | [
    written_row("inferences"; .inferences; $bare),
    written_row("operators"; .operator_runs; $bare),
    written_row("readings"; .readings; $bare),
    written_row("encrypted"; .encrypted; $bare)
]) + (.asked | (.lists | map(
    asked_row("Of a million runs, \(.what)"; .median_ms; 50)))
    + [ asked_row("Of a million runs, the report of one"; .report_ms; 100) ]);

. + { rows: (
    silero_rows
    + [ (.empty_run.tensors | empty_row("3 inputs, 2 outputs")),
        (.empty_run.nothing | empty_row("no tensors")),
        python_row("clock and list"; "clock"),
        python_row("and psutil"; "psutil") ]
    + (.transport | map(transport_rows) | add)
    + paced_rows
    + (.exec | [ exec_row("plain"; .plain.median_us),
        exec_row("an empty preload"; .empty.median_us) ])
    + sampling_rows
    + export_rows
    + store_rows
) }
