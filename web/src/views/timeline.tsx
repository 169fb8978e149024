export function TimelineView() { return <main class="first"><p>timeline</p></main>; }
