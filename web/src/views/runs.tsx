export function RunsView() { return <main class="first"><p>runs</p></main>; }
