// types.ts -- what the server answers, as docs/api.md says.  `?`: absent when
// it is not known.

export interface Missing { member?: string; metric?: string; of?: string; sampler?: string; reason: string; remedy?: string }

export interface RunRow {
    run_id: string; timestamp: string; status: string; model_name?: string; models?: string[];
    experiment_name?: string; tags?: string; command?: string; total_duration_ms?: number;
    total_energy_mj?: number; energy_method?: string; duration_ns?: number; exit_code?: number; signal?: number;
    peak_rss_bytes?: number; inferences?: number; failed?: number; host_name?: string;
    lost?: number; alerts?: number; heard_ns?: number; figures?: Record<string, number>;
    input_tokens?: number; output_tokens?: number; note?: string; prompt?: string; response?: string;
}

export interface Latency {
    count?: number; mean_us?: number; median_us?: number; min_us?: number; max_us?: number;
    p50_us?: number; p90_us?: number; p95_us?: number; p99_us?: number; p99_9_us?: number;
    jitter_us?: number; stddev_us?: number; failed?: number; traced?: number; slowed_by_tracing?: number;
}

export interface Session {
    run_id: string; session_id?: string; id: number; process: number; pid?: number;
    model?: string; model_path?: string; providers: string[]; provider?: string;
    options?: Record<string, unknown>; load_ms?: number; first_load?: boolean; live?: boolean;
    inferences?: number; failed?: number; latency?: Latency;
}

export interface Process {
    run_id: string; id: number; pid?: number; program?: string; hook_ns?: number;
    ort?: { version?: string; path?: string; providers?: string[]; language?: string };
}

/** `[[first step, value, …], …]`: a new piece behind each hole. */
export type Pieces<T> = [number, ...T[]][];

export interface SeriesHead {
    metric: string; unit?: string; kind?: string; run_id?: string;
    labels: Record<string, string>; method?: string;
}
export interface HistorySeries extends SeriesHead {
    points?: [number, number][];
    pieces?: Record<string, Pieces<number | number[]>>;
}
export interface History { from_ns: number; to_ns: number; step_s: number; series: HistorySeries[]; missing?: Missing[] }

export interface PageEvent {
    id: string; run_id: string; timestamp_ns: number; duration_ms?: number; going?: boolean;
    kind: string; text?: string; session?: number; inference?: number; phase?: string;
    expected_ms?: number; causes?: { cause: string; effect_ms?: number }[];
    tokens?: number; input_tokens?: number; first_ms?: number; tokens_per_second?: number;
    severity?: string; rule?: string;
}

export interface Finding {
    rule: string; severity: 'note' | 'look' | 'trouble'; text: string; detail?: string;
    gain_ms?: number; operators?: number[]; inferences?: number[];
}
export interface Slow { count: number; of: number; limit_ms?: number; causes: { cause: string; slow: number; share_of_time: number }[] }

export interface Operator {
    id?: number; name?: string; op_type?: string; provider?: string; layer?: number; component?: string;
    block?: string; session?: number; count: number; operators?: number; total_us?: number; self_us?: number;
    share?: number; mean_us?: number; median_us?: number; per_inference_us?: number; before_us?: number;
    flops?: number; activation_bytes?: number; parameter_bytes?: number; output_bytes?: number;
    joules?: number; joules_method?: string; method?: string; after?: number[]; constant?: boolean;
    layers?: [number, number][]; input_shapes?: unknown; output_shapes?: unknown; flops_per_s?: number;
    fused_from?: string[]; shapes?: { inputs?: unknown[]; outputs?: unknown[]; count?: number; activation_bytes?: number; parameter_bytes?: number; output_bytes?: number }[];
}
export interface Gap {
    session: number; method?: string; inferences?: number; run_us?: number; operators_us?: number;
    control_flow_us?: number; before_first_us?: number; between_us?: number; after_last_us?: number;
}
export interface Operators {
    operators: Operator[]; /** the name that the server's answer has for it */ ops?: Operator[]; gaps?: { sessions: Gap[] }; total: number; limit?: number; offset?: number;
    inferences?: number; traced?: number; operators_us?: number; joules?: number; missing?: Missing[];
}

export interface Meter {
    run_id: string; live?: boolean; paused?: boolean; rate_hz?: number; effective_hz?: number; ops?: string | number;
    hook_ns?: number; tracing_share?: number; collector_cores?: number; collector_bytes?: number; lost?: number;
}

export interface View {
    timestamp_ns: number; you: { role?: string }; recorded?: boolean; runs: RunRow[]; session?: number | string; phase?: string;
    from_ns: number; to_ns: number; step_s: number; processes: Process[]; sessions: Session[];
    series: HistorySeries[]; operators: Operators; events: PageEvent[];
    findings: Finding[] | { findings: Finding[]; slow?: Slow }; meters: Meter[]; missing: Missing[];
}

export interface SpanTrack {
    kind: 'phase' | 'section' | 'load' | 'inference' | 'layer' | 'operator';
    process?: number; thread?: number; name?: string; provider?: string;
    start_ns: number[]; duration_ns: number[]; of: (number | string)[];
    count?: number[]; busy_ns?: number[]; tracing_ns?: number[];
}
export interface Spans { run_id: string; from_ns: number; to_ns: number; clock: string; tracks: SpanTrack[]; total: number; missing?: Missing[] }

export interface GraphNode {
    id: number; name?: string; op_type?: string; origin?: 'file' | 'fused' | 'inserted'; fused_from?: string[];
    provider?: string; fallback?: boolean; layer?: number; component?: string; block?: string; within?: number;
    constant?: boolean; count: number; total_us?: number; mean_us?: number; per_inference_us?: number;
    share?: number; after?: number[]; joules?: number; flops?: number; output_bytes?: number;
}
export interface Graph {
    run_id: string; session: number; model?: string; nodes: GraphNode[];
    edges: { from: number; to: number; bytes?: number }[];
    gone: { name: string; op_type: string; why: string; into?: number }[]; file_nodes?: number;
    inputs?: { name: string; bytes?: number; to: number[] }[]; outputs?: { name: string; from: number | number[] }[];
    missing?: Missing[];
}

export interface Tokens {
    run_id: string; generation?: number; generations: PageEvent[]; token_index: number[]; token_text?: string[];
    duration_us: number[]; max_us?: number[]; traced: number[];
    rows: { name: string; layer?: number; component?: string }[]; values: (number | null)[][]; method?: string;
    missing?: Missing[];
}

export interface Energy {
    status?: string; total_j?: number; net_j?: number; mean_w?: number; peak_w?: number; duration_s?: number; idle_share?: number;
    bounds?: { low_j: number; high_j: number; basis?: string };
    account?: { total_j: number; idle_j: number; other_processes_j: number; unattributed_j: number; attributed_j: number; adds_up: boolean; shared_by?: string };
    per_inference?: Joules; per_token?: Joules; phases?: Record<string, Joules>; work?: Record<string, Joules>;
    sensors?: { name: string; source?: string; component?: string; role?: string; method?: string; joules?: number; total_j?: number; updates?: number; alone?: string }[];
    power?: { time_s: number; watts: number; phase?: string }[];
    flows?: { from: string; to: string; joules: number; method?: string; how?: string }[];
    reasons?: { source: string; reason: string; remedy?: string }[];
    carbon?: { grams?: number; gco2?: number; region?: string; method?: string }; inferences_per_s_per_w?: number;
}
export interface Joules { count?: number; gross_j?: number; net_j?: number; method?: string }

export interface Report {
    run: { id: string; status?: string; started_ns: number; duration_s?: number; command?: string; host?: Host; ort?: Process['ort']; processes?: { id: number; pid: number; program?: string }[]; ortmeter?: string; note?: string; tags?: string[] };
    sessions: Session[]; latency?: Latency; throughput?: { inferences_per_s?: number; fps?: number };
    warmup?: { count?: number; mean_us?: number };
    phases?: Record<string, Latency & { tokens_in?: number }>;
    tokens?: { count?: number; generations?: number; ttft_ms?: number; tpot_ms?: number; ttft_p50_ms?: number; tpot_p50_ms?: number; tokens_per_s?: number; joules_per_token?: number; joules_method?: string };
    ops?: Operator[]; gaps?: { sessions: Gap[] };
    placement?: { session: number; providers: { provider: string; operators: number; total_us?: number; share?: number }[]; copies_us?: number }[];
    fusion?: { session: number; file_nodes?: number; executed?: number; kept?: number; fused_nodes?: number; made_by_fusion?: number; inserted?: number; folded_nodes?: number; removed_nodes?: number; groups?: { name: string; op_type: string; total_us?: number; nodes: string[] }[] }[];
    memory?: Record<string, number>; cpu?: Record<string, number>; io?: Record<string, number>; energy?: Energy;
    scaling?: { batch: number; count: number; p50_us: number; samples_per_s: number }[]; leak?: { bytes_per_s?: number; text?: string };
    lost_events?: number; overhead?: Record<string, number>; missing?: Missing[];
}

export interface Host {
    hostname?: string; os_name?: string; os_version?: string; kernel?: string; architecture?: string; virtualisation?: string;
    cpu?: { model?: string; vendor?: string; sockets?: number; cores?: number; threads?: number; caches?: { level: number; type: string; total_bytes: number }[] };
    memory?: { total_bytes?: number; available_bytes?: number };
    accelerators?: { name?: string; kind?: string; driver?: string }[];
}
export interface System {
    ortmeter_version: string; host: Host; ort: { found: boolean; version?: string; path?: string; providers?: string[] };
    server: { started_ns?: number; bind?: string; tls?: boolean; token_required?: boolean; encrypted?: boolean; websocket_clients?: number; live_runs?: number };
    you: { role?: string; token?: string }; formats?: string[]; tables?: string[]; configuration?: Record<string, unknown>;
}
export interface Source {
    name: string; gives?: string; used?: boolean; available: boolean; state: string; reason?: string; remedy?: string;
    group?: string; how?: string; most_hz?: number; at_least?: boolean; detail?: string;
}
export interface Sources {
    sources: Source[]; samplers: { name: string; about?: string; state?: string; wanted_hz?: number; hz?: number; effective_hz?: number; most_hz?: number; at_least?: boolean; how?: string; group?: string }[];
    missing: Missing[]; looked_ns?: number; took_ms?: number;
}

export interface Figure { name: string; unit?: string; before?: number; after?: number; change?: number; interval?: [number, number]; verdict?: string }
export interface CompareOperator extends Operator {
    model?: string; us?: { before?: number; after?: number; ratio?: number };
    change_us?: number; interval_us?: [number, number]; verdict?: string; explains?: number;
}
export interface ComparedRun { run_id: string; started_ns: number; inferences: number; p10_us?: number }
/** Percentile, change, and the ends of its interval where there is one. */
export type ShiftPoint = [number, number] | [number, number, number, number];
export interface Comparison {
    before: string; after: string; verdict: string; because?: string; advice?: string; least?: number;
    runs?: { before: ComparedRun[]; after: ComparedRun[]; history?: number; in_turns?: boolean };
    change_us?: { whole: number; operators: number; placement: number; fusion: number; rest: number };
    median_ratio_interval?: [number, number]; median_us?: { before?: number; after?: number; ratio?: number };
    differs?: { what: string; unit?: string; before?: string | number; after?: string | number }[]; not_alike: string[];
    figures?: Figure[]; latency?: { before?: number[]; after?: number[]; shift_us?: ShiftPoint[] };
    operators: CompareOperator[]; missing?: Missing[];
    [member: string]: unknown;
}
