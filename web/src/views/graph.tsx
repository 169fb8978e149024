export function GraphView() { return <main class="first"><p>graph</p></main>; }
