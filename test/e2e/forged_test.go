package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/testkit"
	giteaapi "github.com/assay-dev/assay/sim/gitea/simapi"
	"github.com/assay-dev/assay/sim/github/simapi"
	gitlabapi "github.com/assay-dev/assay/sim/gitlab/simapi"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// A person who knows the secret of a webhook cannot write commands in the name of others.
func TestHostsForgedComment(t *testing.T) { onHosts(t, domain.Gitea, forgedComment) }

// The same scenario on GitLab, where the secret is in a header.
func TestGitLabForgedComment(t *testing.T) { onGitLab(t, forgedComment) }

// These are the reasons why a forged comment is ignored.
const (
	mayNot     = "the author of the command has no permission for it"
	noComment  = "the host has no such comment on this pull request"
	wasEdited  = "the comment was edited after it was written"
	carriedOut = "the command of this comment was carried out before"
	ofAnother  = "the body is not about the repository in the address of its webhook"
)

func forgedComment(t *testing.T, w *world) {
	pr, other := w.open("ok", clean()), w.open("other", leaky())
	w.told(pr.Number, 1)
	w.told(other.Number, 1)
	written := w.writes(pr.Number, "dev", "Looks good.") // long enough ago that an edit shows
	f := w.forger(pr.Number, "/assay pause")
	f.tries("the comment of a reader in the name of a writer", said{by: "writer"}, mayNot)
	f.tries("a comment that is not there", said{by: "writer", id: 99_999_999}, noComment)

	elsewhere := w.writes(other.Number, "writer", "/assay help")
	f.tries("a comment of another pull request", said{by: "writer", id: elsewhere}, noComment)
	_, err := w.host.CreateRepo(w.ctx, shared.RepoSpec{Owner: "acme", Name: "beside", Files: baseFiles(), Collaborators: map[string]string{"writer": "write"}})
	must(t, err)
	w.change(repoChange{Collaborators: map[string]string{"dev": "write"}})
	shop := w.repo
	w.repo = "acme/beside"
	beside := w.open("ok", clean())
	foreign := w.writes(beside.Number, "writer", "/assay pause")
	w.repo = shop
	f.tries("a comment of another repository", said{by: "writer", id: foreign, number: int64(beside.Number)}, noComment)

	w.rewrites(pr.Number, written, "/assay pause")
	f.tries("words of one person that another has made a command", said{by: "writer", id: written}, wasEdited)

	f.carriedOutOnce(pr.Number)
	f.misplaced()
	f.throughAnotherConnection()
	if n := w.count(`SELECT COUNT(*) FROM pull_requests WHERE paused`); n != 0 {
		t.Errorf("%d pull requests are paused", n)
	}
	w.quiet()
	if n := w.count(`SELECT COUNT(*) FROM review_runs WHERE repository_id IN (SELECT id FROM repositories WHERE name = 'shop')`); n != 2 {
		t.Errorf("%d runs, want 2", n)
	}
}

// carriedOutOnce lets a writer pause and resume. No body about the first comment pauses again.
func (f *forger) carriedOutOnce(number int) {
	f.Helper()
	obeyed := func(id int64) { // by the host's own delivery
		f.Helper()
		testkit.Eventually(f.T, patience, func() (bool, string) {
			n := f.count(fmt.Sprintf(`SELECT COUNT(*) FROM obeyed_commands WHERE comment LIKE '%%%d%%'`, id))
			return n == 1, fmt.Sprintf("the command of the comment %d was carried out %d times", id, n)
		})
	}
	paused, discussion := f.inThread(number, "/assay pause")
	obeyed(paused)
	resumed := f.writes(number, "writer", "/assay resume")
	obeyed(resumed)
	again := said{by: "writer", id: paused, text: "/assay pause"}
	for what, change := range map[string]func(*said){
		"another space at the end":  func(s *said) { s.end = " " },
		"without a thread":          func(s *said) { s.fields = map[string]any{"type": nil, "discussion_id": nil} },
		"in its thread":             func(s *said) { s.fields = map[string]any{"type": "DiffNote", "discussion_id": discussion} },
		"in its thread, not a line": func(s *said) { s.fields = map[string]any{"type": "DiscussionNote", "discussion_id": discussion} },
		"in the name of a reader":   func(s *said) { s.by = "reader" },
	} {
		one := again
		change(&one)
		why := carriedOut
		if one.by == "reader" && f.gitlab == nil { // the named person's role is asked for before the comment
			why = mayNot
		}
		f.tries("a command that was carried out, "+what, one, why)
	}
}

// misplaced sends bodies to addresses of other webhooks, signed with secrets of other addresses.
func (f *forger) misplaced() {
	f.Helper()
	connection := secret.New(f.secret)
	own, another := codehost.HookSecret(connection, f.repository).Reveal(), codehost.HookSecret(connection, "99").Reveal()
	body := f.body(said{by: "writer", end: "\n"})
	for what, c := range map[string]struct {
		key  string
		at   domain.HostID
		code int
	}{
		"the connection's secret at the repository's address": {f.secret, f.repository, http.StatusUnauthorized},
		"another repository's secret at the repository's":     {another, f.repository, http.StatusUnauthorized},
		"the repository's secret at the connection's":         {own, "", http.StatusUnauthorized},
		"the repository's secret at another one's":            {own, "99", http.StatusUnauthorized},
		"the repository's secret at one without a number":     {own, "0", http.StatusUnauthorized},
		"no secret": {"", f.repository, http.StatusUnauthorized},
		"another repository's secret and address":                {another, "99", http.StatusAccepted},
		"a repository's secret at two repositories at once":      {own, f.repository + "&repository=99", http.StatusUnauthorized},
		"the repository's secret at its number in another style": {own, "0" + f.repository, http.StatusUnauthorized},
	} {
		guid, code := f.send(body, c.key, c.at)
		if code != c.code {
			f.Errorf("%s: answered %d, want %d", what, code, c.code)
		}
		if code == http.StatusAccepted {
			f.ignored(what, "delivery_guid = '"+guid+"'", ofAnother)
		}
	}
	hooks := f.hooks
	defer func() { f.hooks = hooks }()
	for what, to := range map[string]string{"another connection": strings.TrimSuffix(hooks, f.connection) + "pcn_01J00000000000000000000000",
		"another kind of host": strings.Replace(strings.Replace(hooks, "gitea", "gitlab", 1), "forgejo", "gitea", 1)} {
		if f.hooks = to; to == hooks {
			continue
		}
		if _, code := f.send(body, f.secret, ""); code != http.StatusUnauthorized && code != http.StatusBadRequest {
			f.Errorf("a body for %s was answered %d", what, code)
		}
	}
}

// throughAnotherConnection sends bodies about the repository to another connection of the same host, with its secrets.
func (f *forger) throughAnotherConnection() {
	f.Helper()
	_, err := f.host.CreateUser(f.ctx, shared.UserSpec{Login: "rivals", Type: "Organization", Members: map[string]string{account: "admin"}})
	must(f.T, err)
	_, err = f.host.CreateRepo(f.ctx, shared.RepoSpec{Owner: "rivals", Name: "own", Files: baseFiles()})
	must(f.T, err)
	all := "/api/tenants/" + f.boss.tenant() + "/provider-connections"
	kind := domain.Gitea
	switch {
	case f.gitlab != nil:
		kind = domain.GitLab
	case !strings.Contains(f.hooks, kind.PathWord()):
		kind = domain.Forgejo
	}
	var made struct{ ID, Secret string }
	f.boss.as.Send(http.MethodPost, all, map[string]any{"kind": kind, "name": "Rivals", "baseUrl": f.host.BaseURL(), "owner": "rivals", "token": f.token(), "repositories": "all"}, http.StatusCreated, &made)
	f.boss.as.Synced(f.boss.tenant(), made.ID)
	f.boss.as.Send(http.MethodPost, all+"/"+made.ID+"/webhook-secret", nil, http.StatusOK, &made)
	hooks := f.hooks
	defer func() { f.hooks = hooks }()
	f.hooks = strings.TrimSuffix(hooks, f.connection) + made.ID
	for at, key := range map[domain.HostID]string{"": made.Secret, f.repository: codehost.HookSecret(secret.New(made.Secret), f.repository).Reveal()} {
		body, guid := f.body(said{by: "writer", end: "\t" + strings.Repeat(" ", len(at))}), ""
		testkit.Eventually(f.T, patience, func() (bool, string) { // the connection and its secret take effect soon
			var code int
			guid, code = f.send(body, key, at)
			return code == http.StatusAccepted, fmt.Sprintf("a body for another connection was answered %d", code)
		})
		f.ignored("a body for another connection", "delivery_guid = '"+guid+"'", "another connection has the repository")
	}
}

// token creates a token of the service's account.
func (w *world) token() string {
	w.Helper()
	if w.gitlab != nil {
		made, err := w.gitlab.NewToken(w.ctx, account, gitlabapi.TokenSpec{Name: "more", Scopes: []string{"api"}})
		must(w.T, err)
		return made.Text
	}
	made, err := w.gitea.NewToken(w.ctx, account, giteaapi.TokenSpec{Name: domain.NewID("tok"), Scopes: scopes()})
	must(w.T, err)
	return made.Text
}

// inThread writes a comment of the writer, in a thread on a line if the host supports one for it, and
// returns its thread.
func (f *forger) inThread(number int, text string) (id int64, discussion string) {
	f.Helper()
	if f.gitlab == nil {
		return f.writes(number, "writer", text), ""
	}
	n, err := f.gitlab.Note(f.ctx, f.repo, number, gitlabapi.NoteSpec{Author: "writer", Path: "price/max.go", NewLine: 3, Body: text})
	must(f.T, err)
	return n.ID, n.Discussion
}

// writes writes a comment of a person in the conversation.
func (w *world) writes(number int, author, text string) int64 {
	w.Helper()
	c, err := w.host.Comment(w.ctx, w.repo, number, shared.CommentSpec{Author: author, Body: text})
	must(w.T, err)
	return c.ID
}

// rewrites changes a comment of the conversation, and removes deletes it, like a person who may edit
// other people's comments.
func (w *world) rewrites(number int, id int64, text string) {
	w.Helper()
	w.onComment(http.MethodPatch, number, id, map[string]string{"body": text})
}

func (w *world) removes(number int, id int64) {
	w.Helper()
	w.onComment(http.MethodDelete, number, id, nil)
}

func (w *world) onComment(method string, number int, id int64, body any) {
	w.Helper()
	if w.bitbucket != nil { // there a person cannot change the comment of another one
		edit := shared.EditSpec{Delete: method == http.MethodDelete}
		if texts, is := body.(map[string]string); is {
			edit.Body = texts["body"]
		}
		must(w.T, w.host.EditComment(w.ctx, w.repo, id, edit))
		return
	}
	at := fmt.Sprintf("/repos/%s/issues/comments/%d", w.repo, id)
	if w.gitlab != nil {
		at = fmt.Sprintf("/projects/%s/merge_requests/%d/notes/%d", url.PathEscape(w.repo), number, id)
		if method == http.MethodPatch {
			method = http.MethodPut
		}
	}
	w.rest(method, at, body)
}

// rest sends a request to the host's interface as a person who may edit the comments of others.
func (w *world) rest(method, path string, body any) {
	w.Helper()
	base, token := "", ""
	switch {
	case w.gitlab != nil:
		base, token = w.gitlab.APIURL(), w.token()
	case w.gitea != nil:
		base, token = w.gitea.APIURL(), w.token()
	default:
		made, err := w.host.CreateUser(w.ctx, shared.UserSpec{Login: strings.ToLower(domain.NewID("chief"))[:20]})
		must(w.T, err)
		must(w.T, w.gh.UpdateRepo(w.ctx, w.repo, simapi.RepoUpdate{Collaborators: map[string]string{made.Login: "admin"}}))
		base, token = w.gh.APIURL(), made.Token
	}
	w.restAs(token, method, base+path, body)
}

// restAs sends a request to an address of the host's interface with a token.
func (w *world) restAs(token, method, address string, body any) {
	w.Helper()
	raw, err := json.Marshal(body)
	must(w.T, err)
	req, err := http.NewRequestWithContext(w.ctx, method, address, bytes.NewReader(raw))
	must(w.T, err)
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	must(w.T, err)
	must(w.T, resp.Body.Close())
	if resp.StatusCode >= 300 {
		w.Fatalf("%s %s: %d", method, address, resp.StatusCode)
	}
}

// The comment of a command is edited or deleted between its delivery and the moment in which the
// service reads it.
func TestHostsCommentThatChanges(t *testing.T) { onHosts(t, domain.Forgejo, commentThatChanges) }

// The same scenario on GitHub.
func TestCommentThatChanges(t *testing.T) {
	on(t, journeys, func(t *testing.T, w *world) {
		w.worked()
		w.people()
		commentThatChanges(t, w)
	})
}

func commentThatChanges(t *testing.T, w *world) {
	if w.gh == nil {
		_, err := w.host.CreateUser(w.ctx, shared.UserSpec{Login: "writer"})
		must(t, err)
		w.change(repoChange{Collaborators: map[string]string{"writer": "write"}})
	}
	pr := w.open("ok", clean())
	w.told(pr.Number, 1)
	w.quiet()
	for what, c := range map[string]struct {
		change func(id int64)
		reason string
	}{
		"another command": {func(id int64) { w.rewrites(pr.Number, id, "/assay pause") }, wasEdited},
		"no command":      {func(id int64) { w.rewrites(pr.Number, id, "Never mind.") }, "the comment on the host is not a command any more"},
		"deleted":         {func(id int64) { w.removes(pr.Number, id) }, noComment},
	} {
		held := w.fault(shared.Fault{Method: "GET", Path: `/comments/\d+$|/notes/\d+$`, Action: shared.Hold, Times: 1})
		id := w.writes(pr.Number, "writer", "/assay review")
		_, err := w.host.AwaitFault(w.ctx, held, 1, 1, patience)
		must(t, err)
		c.change(id)
		must(t, w.host.Release(w.ctx, held, shared.Apply))
		w.ignored(what, "reason = '"+c.reason+"'", c.reason)
	}
	w.quiet()
	if n := w.count(`SELECT COUNT(*) FROM review_runs`); n != 1 || w.count(`SELECT COUNT(*) FROM pull_requests WHERE paused`) != 0 {
		t.Errorf("%d runs, want 1 and no pause", n)
	}
}
