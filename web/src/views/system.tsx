export function SystemView() { return <main class="first"><p>system</p></main>; }
