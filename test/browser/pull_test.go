package browser

import "testing"

// A person goes from the pull requests of a repository to one of them and sees what its reviews came to, finds it again by a part
// of its title. An unknown number is refused on the page.
func TestPageOfAPullRequest(t *testing.T) {
	t.Parallel()
	d := sharedDemo(t)
	base := d.base
	p := newTab(t)
	p.signIn(d.manager(t))
	ids := d.ids(p)
	repository := base + "/t/" + ids["tenantId"] + "/repositories/" + ids["repositoryId"]
	p.goTo(repository)
	p.until("document.querySelector('main td a[href$=\"/pulls/1\"]') && !document.querySelector('main [aria-busy=true]')")
	p.has("the tab is marked", "document.querySelector('.page-tabs a[aria-current=page]').innerText === 'Pull requests'")
	p.click("main td a[href$=\"/pulls/1\"]")
	p.until("document.querySelector('h1')?.innerText.startsWith('#1 ') && document.querySelectorAll('main table').length === 2")
	p.has("the tab stays marked", "document.querySelector('.page-tabs a[aria-current=page]').innerText === 'Pull requests'")
	p.has("its findings", "document.querySelector('main table').querySelectorAll('tbody tr .severity').length > 0")
	p.has("its review with cost and check", "/\\$|unknown/.test([...document.querySelectorAll('main table')].at(-1).querySelector('tbody tr').innerText)")
	p.has("the code host", "[...document.querySelectorAll('main a')].some(a => a.innerText === 'Show on the code host')")
	p.audit("a pull request")
	title := ""
	must(t, p.run("document.querySelector('h1').innerText.slice(3, 20)", &title))

	p.palette()
	p.fill("[role=dialog] input", title)
	p.until("[...document.querySelectorAll('[role=dialog] button')].some(b => b.innerText.startsWith('#1 '))")
	p.axe("the palette with a pull request")
	must(t, p.run("[...document.querySelectorAll('[role=dialog] button')].find(b => b.innerText.startsWith('#1 ')).click()", nil))
	p.until("!document.querySelector('[role=dialog]') && location.pathname.endsWith('/pulls/1')")

	p.goTo(repository + "/pulls/99999")
	p.until("document.querySelector('main h1')?.innerText === 'Not found'")
	p.axe("a pull request that is not there")
	p.clean(base, base, "404 /api/tenants/"+ids["tenantId"]+"/repositories/"+ids["repositoryId"]+"/pull-requests/99999")
}
