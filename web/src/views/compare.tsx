export function CompareView() { return <main class="first"><p>compare</p></main>; }
