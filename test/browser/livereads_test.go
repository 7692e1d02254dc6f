package browser

import (
	"context"
	"testing"
)

// recordChanges makes the waits before a reading short, and records when the first event of a tenant's stream came.
const recordChanges = recordFetches + `
Math.random = (chance => () => chance() / 1000)(Math.random);
window.EventSource = class extends EventSource {
	constructor(address) {
		super(address);
		this.addEventListener("change", () => { window.changed ??= performance.now(); });
	}
};`

// A live page reads each of its answers once when it is opened: the first event of the stream reads nothing again, because nothing
// has changed since the page was made.
func TestLivePagesReadTheirAnswersOnce(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	reviewedOnce(context.Background(), t, o.store, o.world)
	p := newTab(t)
	p.as(o.links[ada])
	p.do("Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": recordChanges}, nil)
	repository := "/repositories/" + o.world.Repository.ID
	for _, path := range []string{"", "/inbox", "/approvals", "/runs", "/findings", "/repositories", "/first-steps", repository, repository + "/pull-requests", repository + "/runs", repository + "/findings"} {
		p.goTo("about:blank")
		p.goTo(o.tenant + path)
		p.until(loaded + " && performance.now() > window.changed + 1000") // the stream works, and a reading would have begun
		var twice []string
		must(t, p.run("fetched.filter((a, i) => a.includes('/api/') && fetched.indexOf(a) !== i)", &twice))
		if len(twice) > 0 {
			t.Errorf("%s reads twice: %v", path, twice)
		}
	}
	p.clean(o.base, o.base)
}
