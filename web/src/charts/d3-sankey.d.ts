// The little of d3-sankey that we use.
declare module 'd3-sankey' {
    export interface SankeyNode { name: string; x0?: number; x1?: number; y0?: number; y1?: number; value?: number; depth?: number; sourceLinks?: SankeyLink[]; targetLinks?: SankeyLink[] }
    export interface SankeyLink { source: SankeyNode; target: SankeyNode; value: number; width?: number; y0?: number; y1?: number; method?: string }
    interface Layout {
        (graph: { nodes: object[]; links: object[] }): { nodes: SankeyNode[]; links: SankeyLink[] };
        nodeId(f: (n: { name: string }) => string): this;
        nodeWidth(w: number): this;
        nodePadding(p: number): this;
        nodeAlign(f: (n: SankeyNode, depth: number) => number): this;
        nodeSort(f: null | ((a: SankeyNode, b: SankeyNode) => number)): this;
        extent(e: [[number, number], [number, number]]): this;
    }
    export function sankey(): Layout;
    export function sankeyLeft(n: SankeyNode, depth: number): number;
}
