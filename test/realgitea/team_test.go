package realgitea

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// A team's account for assay is not in Owners, but in each team. The test covers the actions of each
// person and their results.
func TestTeam(t *testing.T) {
	w := connected(t, true, inEachTeam)
	run := func(name string, f func(t *testing.T, w *world)) {
		t.Run(name, func(t *testing.T) {
			h := *w.host
			in := *w
			h.T, in.host = t, &h
			f(t, &in)
		})
	}
	run("reviews", reviewsOfATeam)
	run("commands", commandsOfATeam)
	run("commands read back", commandsReadBack)
	run("thumbs", thumbsOfATeam)
	run("replies", repliesOfATeam)
	run("criteria of an issue", criteriaOfAnIssue)
	run("outsider", outsiderOfATeam)
	run("required status", requiredStatus)
	run("another target", anotherTarget)
	run("new repository", newRepository)
	run("lost webhook", lostWebhook)
	run("renamed repository", renamedRepository)
	run("people", peopleOfATeam)
}

const outside = "comes from outside"

// A writer by team gets the same as a collaborator. Each review is shown and mailed once.
func reviewsOfATeam(t *testing.T, w *world) {
	bug := w.open("eve", "acme/shop", "bug", buggy())
	got := w.once("two defects", bug, 1, 2)
	if strings.Contains(got.Bodies[0], outside) {
		t.Errorf("a writer is from outside: %s", got.Bodies[0])
	}
	w.once("nothing found", w.open("eve", "acme/shop", "clean", clean("a")), 1, 0)
	w.commit("eve", "acme/shop", "bug", "bug", fixed())
	got = w.once("one defect mended", bug, 2, 2)
	if !strings.Contains(got.Bodies[1], "1 of 2") {
		t.Errorf("the second review: %s", got.Bodies[1])
	}
}

// A writer by team may give commands. A reader by team and a stranger may not.
func commandsOfATeam(t *testing.T, w *world) {
	p := w.open("eve", "acme/shop", "commands", clean("b"))
	w.reviewed(p, 1)
	for _, login := range []string{"rob", "eve"} {
		w.say(login, p, "/assay help")
	}
	w.eventually(func() (bool, string) { return len(w.answers(p)) > 0, "no answer to a writer of a team" })
	w.quiet()
	if got := w.answers(p); len(got) != 1 || !strings.Contains(got[0], "/assay review") {
		t.Errorf("answers: %q", got)
	}
	w.say("eve", p, "/assay review")
	if got := w.reviewed(p, 2); got.Reviews != 2 {
		t.Errorf("a review that was asked for: %v", got)
	}
	if got := w.rows(`SELECT reason FROM webhook_deliveries WHERE reason = 'the author of the command has no permission for it'`); len(got) != 1 {
		t.Errorf("commands that were refused: %v", got)
	}
}

// A pull request from a fork is from outside, and commands of its author are ignored.
func outsiderOfATeam(t *testing.T, w *world) {
	w.account("olga")
	w.do("olga", "POST", "/repos/acme/shop/forks", map[string]any{}, nil)
	w.commit("olga", "olga/shop", "main", "gift", buggy())
	p := w.propose("olga", "acme/shop", "olga:gift", "main", "A gift")
	got := w.once("an outsider's", p, 1, 2, "olga")
	if !strings.Contains(got.Bodies[0], outside) {
		t.Errorf("the summary does not say that it is from outside: %s", got.Bodies[0])
	}
	w.say("olga", p, "/assay review full")
	w.quiet()
	if got := w.shown(p); got.Reviews != 1 || len(w.answers(p)) != 0 {
		t.Errorf("a command of an outsider: %v, answers %q", got, w.answers(p))
	}
}

// The required status of a head stays a failure while other changes with that head are proposed. A fix
// makes it a success.
func requiredStatus(t *testing.T, w *world) {
	w.do("dana", "POST", "/repos/acme/shop/branches", map[string]any{"new_branch_name": "old-release", "old_branch_name": "main"}, nil)
	w.do("dana", "POST", "/repos/acme/shop/branch_protections", map[string]any{
		"rule_name": "main", "enable_status_check": true, "status_check_contexts": []string{"assay"}, "enable_push": true}, nil)
	refused := func(what string, p pull) {
		t.Helper()
		state, says := w.concluded(p, p.Head.SHA)
		merged := w.merge("gus", p)
		t.Logf("%s: status %s %q, merge %d", what, state, says, merged)
		if state != "failure" || merged != http.StatusMethodNotAllowed {
			t.Errorf("%s: status %s %q, merge %d, want failure and 405", what, state, says, merged)
		}
	}
	w.commit("olga", "olga/shop", "main", "leak", leaky())
	for _, c := range []struct{ who, branch, title string }{{"eve", "leak", "Leak"}, {"olga", "olga:leak", "Leak of an outsider"}} {
		if c.who == "eve" {
			w.commit("eve", "acme/shop", "main", "leak", leaky())
		}
		p := w.propose(c.who, "acme/shop", c.branch, "main", c.title)
		refused(c.title, p)
		w.propose(c.who, "acme/shop", c.branch, "old-release", "WIP: "+c.title)
		refused(c.title+" with a draft of the same head", p)
	}
	good := w.open("eve", "acme/shop", "good", clean("c"))
	state, says := w.concluded(good, good.Head.SHA)
	if merged := w.merge("gus", good); state != "success" || merged != http.StatusOK {
		t.Errorf("a clean change: status %s %q, merge %d", state, says, merged)
	}
}

// The same head with another target is another change.
func anotherTarget(t *testing.T, w *world) {
	other := strings.Replace(leaky()["config/keys.go"], "accessKey", "otherKey", 1)
	w.commit("eve", "acme/shop", "main", "stack-a", map[string]string{"config/other.go": other})
	head := w.commit("eve", "acme/shop", "stack-a", "stack-b", clean("d"))
	p := w.propose("eve", "acme/shop", "stack-b", "stack-a", "Stacked")
	w.reviewed(p, 1)
	if state, says := w.concluded(p, head); state != "success" {
		t.Fatalf("before: %s %q", state, says)
	}
	w.do("eve", "PATCH", fmt.Sprintf("/repos/acme/shop/pulls/%d", p.Number), map[string]any{"base": "main"}, nil)
	got := w.reviewed(p, 2)
	state, says := w.concluded(p, head)
	t.Logf("another target: %v, status %s %q, merge %d", got, state, says, w.merge("gus", p))
	if state != "failure" {
		t.Errorf("after: status %s %q", state, says)
	}
}

// A new repository is connected automatically, and a pull request that is opened immediately is
// reviewed once.
func newRepository(_ *testing.T, w *world) {
	w.repository("fresh", true)
	w.once("in a new repository", w.open("eve", "acme/fresh", "bug", buggy()), 1, 2)
}

// Without its webhook a pull request is found by the sweep of the repository. A sync creates the
// webhook again.
func lostWebhook(t *testing.T, w *world) {
	var list []struct{ ID int64 }
	w.do("", "GET", "/repos/acme/fresh/hooks", nil, &list)
	for _, k := range list {
		w.do("", "DELETE", fmt.Sprintf("/repos/acme/fresh/hooks/%d", k.ID), nil, nil)
	}
	p := w.open("eve", "acme/fresh", "silent", clean("e"))
	w.swept()
	w.once("without a webhook", p, 1, 0)
	w.sync()
	if got := w.hooks("acme/fresh"); len(got) != 1 {
		t.Errorf("webhooks after a synchronisation: %q", got)
	}
}

// A renamed repository stays connected. One that was transferred to another owner is disconnected, and
// recognised when it returns.
func renamedRepository(t *testing.T, w *world) {
	w.do("dana", "PATCH", "/repos/acme/fresh", map[string]any{"name": "stale"}, nil)
	w.once("after another name", w.open("eve", "acme/stale", "renamed", clean("f")), 1, 0)
	for _, to := range []string{"dana", "acme"} {
		from := map[string]string{"dana": "acme", "acme": "dana"}[to]
		w.do("dana", "POST", "/repos/"+from+"/stale/transfer", map[string]any{"new_owner": to}, nil)
		want := map[string]string{"dana": "disconnected", "acme": "active"}[to]
		w.eventually(func() (bool, string) {
			w.sync()
			got := w.rows(`SELECT state FROM repositories WHERE name = 'stale'`)
			return len(got) == 1 && got[0][0] == want, fmt.Sprintf("the repository of %s is %v", to, got)
		})
	}
	w.once("after it came back", w.open("eve", "acme/stale", "back", clean("g")), 1, 0)
}

// Each person has the right that their team gives. For the team whose members the account cannot see,
// the test of the connection says so.
func peopleOfATeam(t *testing.T, w *world) {
	if got := w.said(); !strings.Contains(got, "does not see who is in 1 of 4 teams of acme (Owners)") {
		t.Errorf("the test of the connection says %s", got)
	}
	got := fmt.Sprint(w.rows(`SELECT m.permission FROM host_members m JOIN repositories r ON r.id = m.repository_id
		WHERE r.name = 'shop' ORDER BY m.permission`))
	if got != "[[admin] [admin] [read] [write] [write]]" {
		t.Errorf("the rights of people: %s", got)
	}
}

// said returns the result of the connection test.
func (w *world) said() (out string) {
	w.Helper()
	var got struct {
		Checks []struct{ Name, Message string }
	}
	w.admin.Send(http.MethodPost, w.connections()+"/"+w.connection+"/test", nil, http.StatusOK, &got)
	for _, c := range got.Checks {
		out += c.Name + ": " + c.Message + "\n"
	}
	return out
}

// An account in Owners has one webhook for the organisation, which reports the first pull request of a
// new repository, and it sees all members. When the organisation is renamed, the connection follows it
// and keeps its webhook.
func TestOwners(t *testing.T) {
	w := connected(t, true, inOwners)
	w.once("with a webhook of the organisation", w.open("eve", "acme/shop", "bug", buggy()), 1, 2)
	w.repository("fresh", true)
	w.once("in a new repository", w.open("eve", "acme/fresh", "bug", buggy()), 1, 2)
	if owner, own := w.hooks(""), w.hooks("acme/fresh"); len(owner) != 1 || len(own) != 0 {
		t.Errorf("webhooks of the organisation %q and of a repository %q", owner, own)
	}
	if got := w.said(); !strings.Contains(got, "rights: Nothing is missing") {
		t.Errorf("the test of the connection says %s", got)
	}
	w.do("dana", "POST", "/orgs/acme/rename", map[string]any{"new_name": "acme-new"}, nil)
	w.sync() // an earlier one may be under way
	if got := w.sync(); got.Owner != "acme-new" {
		t.Errorf("the connection is %+v", got)
	}
	w.once("of a renamed organisation", w.open("eve", "acme-new/shop", "renamed", clean("a")), 1, 0)
}

// swept makes assay sweep its repositories now, instead of within five minutes.
func (w *world) swept() {
	w.Helper()
	if err := w.site.Change(w.ctx, `UPDATE repositories SET swept_us = 0`); err != nil {
		w.Fatal(err)
	}
}
