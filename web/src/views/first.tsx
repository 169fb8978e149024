// first.tsx -- no run yet: the one command to start one.

import { href } from '../core/router';

export function First() {
    return (
        <main class="first">
            <div>
                <h1>No run yet</h1>
                <p class="ink2">Start any program that uses ONNX Runtime under the meter. It is not changed, and shows up here by itself.</p>
                <pre tabIndex={0}>ortmeter run -- node your_app.js</pre>
                <ul>
                    <li>a model alone: <code>ortmeter bench model.onnx</code></li>
                    <li>an ONNX Runtime profile: <code>ortmeter import profile.json</code></li>
                    <li>what this machine can measure: <a href={href({ view: 'system' })}>System</a></li>
                    <li>runs that were recorded: <a href={href({ view: 'runs' })}>Runs</a></li>
                </ul>
            </div>
        </main>
    );
}
