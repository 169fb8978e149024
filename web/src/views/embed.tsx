export function EmbedView() { return <main class="first"><p>embed</p></main>; }
