export function RunView() { return <main class="first"><p>run</p></main>; }
