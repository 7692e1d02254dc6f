package realgitea

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
)

// bot is the account of assay.
const bot = "assay-bot"

// password is the password of every person.
const password = "pass" + "word1"

// host is a real Gitea whose mails go to a sink.
type host struct {
	*testing.T
	server *testkit.RealGitea
	mails  *sink
}

// newHost starts a Gitea, with an account for each of the people.
func newHost(t *testing.T, people ...string) *host {
	t.Helper()
	mails := newSink(t)
	h := &host{T: t, mails: mails, server: testkit.GiteaServer(t, fmt.Sprintf(`ENABLE_NOTIFY_MAIL = true
[mailer]
ENABLED = true
PROTOCOL = smtp
SMTP_ADDR = 127.0.0.1
SMTP_PORT = %d
FROM = gitea@example.org
`, mails.port))}
	for _, login := range append(people, bot) {
		h.account(login)
	}
	return h
}

// account creates an account, like the site administrator.
func (h *host) account(login string) {
	h.Helper()
	h.do("", "POST", "/admin/users", map[string]any{
		"username": login, "email": login + "@example.org", "password": password, "must_change_password": false}, nil)
}

// do sends a request to the interface as a person, "" for the site administrator, and expects success.
func (h *host) do(as, method, path string, body, into any) {
	h.Helper()
	status, text := h.try(as, method, path, body)
	if status >= 300 {
		h.Fatalf("%s %s as %q: %d %s", method, path, as, status, text)
	}
	if into != nil {
		testkit.OK(h, json.Unmarshal([]byte(text), into))
	}
}

func (h *host) try(as, method, path string, body any) (status int, text string) {
	h.Helper()
	req := h.request(method, "/api/v1"+path, body)
	req.Header.Set("Authorization", "token "+h.server.Token)
	if as != "" {
		req.Header.Set("Sudo", as)
	}
	return h.send(req)
}

func (h *host) request(method, path string, body any) *http.Request {
	h.Helper()
	raw, err := json.Marshal(body)
	testkit.OK(h, err)
	req, err := http.NewRequestWithContext(h.Context(), method, h.server.URL+path, bytes.NewReader(raw))
	testkit.OK(h, err)
	req.Header.Set("Content-Type", "application/json")
	return req
}

func (h *host) send(req *http.Request) (status int, text string) {
	h.Helper()
	resp, err := http.DefaultClient.Do(req)
	testkit.OK(h, err)
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	testkit.OK(h, err)
	return resp.StatusCode, string(raw)
}

// token creates a token of an account, like its page.
func (h *host) token(account, name string, scopes ...string) string {
	h.Helper()
	req := h.request("POST", "/api/v1/users/"+account+"/tokens", map[string]any{"name": name, "scopes": scopes})
	req.SetBasicAuth(account, password)
	status, text := h.send(req)
	var made struct {
		SHA1 string `json:"sha1"`
	}
	if err := json.Unmarshal([]byte(text), &made); err != nil || made.SHA1 == "" {
		h.Fatalf("a token with the scopes %q: %d %s", scopes, status, text)
	}
	return made.SHA1
}

// team creates a team of acme for all repositories, and adds people. rights is "admin", or a word for
// each unit.
func (h *host) team(name, rights string, people ...string) {
	h.Helper()
	body := map[string]any{"name": name, "includes_all_repositories": true, "permission": rights}
	if rights != "admin" {
		body["units_map"] = map[string]string{"repo.code": rights, "repo.pulls": rights, "repo.issues": rights}
	}
	var made struct{ ID int64 }
	h.do("dana", "POST", "/orgs/acme/teams", body, &made)
	h.join(made.ID, people...)
}

func (h *host) join(team int64, people ...string) {
	h.Helper()
	for _, login := range people {
		h.do("dana", "PUT", fmt.Sprintf("/teams/%d/members/%s", team, login), nil, nil)
	}
}

// owners returns the id of the team Owners.
func (h *host) owners() (id int64) {
	h.Helper()
	var teams []struct {
		ID   int64
		Name string
	}
	h.do("dana", "GET", "/orgs/acme/teams", nil, &teams)
	for _, t := range teams {
		if t.Name == "Owners" {
			id = t.ID
		}
	}
	return id
}

// organisation creates acme with its teams.
func (h *host) organisation(s seats) {
	h.Helper()
	writers, readers := []string{"eve", "gus"}, []string{"rob"}
	if s == inEachTeam {
		writers, readers = append(writers, bot), append(readers, bot)
	}
	h.do("dana", "POST", "/orgs", map[string]any{"username": "acme"}, nil)
	h.team("writers", "write", writers...)
	h.team("readers", "read", readers...)
	if s == inOwners {
		h.join(h.owners(), bot)
	} else {
		h.team("robots", "admin", bot)
	}
}

// repository creates a repository of acme, which its people watch from then on.
func (h *host) repository(name string, private bool) {
	h.Helper()
	h.do("dana", "POST", "/orgs/acme/repos", map[string]any{
		"name": name, "private": private, "auto_init": true, "default_branch": "main"}, nil)
	h.commit("dana", "acme/"+name, "main", "main", base())
}

// commit writes files on a branch and returns the commit. The branch is made from another one, unless that is the same.
func (h *host) commit(as, repo, from, branch string, files map[string]string) string {
	h.Helper()
	var list []map[string]string
	for _, path := range slices.Sorted(maps.Keys(files)) {
		text := base64.StdEncoding.EncodeToString([]byte(files[path]))
		list = append(list, map[string]string{"operation": "upload", "path": path, "content": text})
	}
	body := map[string]any{"branch": from, "files": list, "message": "Change " + branch}
	if branch != from {
		body["new_branch"] = branch
	}
	var made struct{ Commit struct{ SHA string } }
	h.do(as, "POST", "/repos/"+repo+"/contents", body, &made)
	return made.Commit.SHA
}

// pull is a pull request.
type pull struct {
	Repo   string // owner/name of the target
	Number int
	Head   struct{ SHA string }
}

// propose opens a pull request for an existing branch ("owner:branch" of a fork).
func (h *host) propose(as, repo, head, base, title string) (p pull) {
	h.Helper()
	h.do(as, "POST", "/repos/"+repo+"/pulls", map[string]any{"title": title, "head": head, "base": base}, &p)
	p.Repo = repo
	return p
}

// name names the pull request.
func (p pull) name() string { return fmt.Sprintf("%s#%d", p.Repo, p.Number) }

// open changes files on a new branch from main and proposes them to main.
func (h *host) open(as, repo, branch string, files map[string]string) pull {
	h.Helper()
	h.commit(as, repo, "main", branch, files)
	return h.propose(as, repo, branch, "main", "Change "+branch)
}

// merge tries to merge a pull request and returns the status.
func (h *host) merge(as string, p pull) int {
	h.Helper()
	h.server.Flush() // the host refuses until it has checked for conflicts
	status, _ := h.try(as, "POST", fmt.Sprintf("/repos/%s/pulls/%d/merge", p.Repo, p.Number), map[string]any{"Do": "merge"})
	return status
}

// status returns the commit status that the host uses for a head.
func (h *host) status(p pull, head string) (state, says string) {
	h.Helper()
	var all struct {
		Statuses []struct{ Status, Description, Context string }
	}
	h.do("", "GET", fmt.Sprintf("/repos/%s/commits/%s/status", p.Repo, head), nil, &all)
	for _, s := range all.Statuses {
		if s.Context == "assay" {
			return s.Status, s.Description
		}
	}
	return "", ""
}

// shown is everything that people see of the bot's reviews on a pull request.
type shown struct {
	Reviews, Drafts, Entries, Comments int
	Mails                              map[string]int // by recipient
	Bodies                             []string
	Lines                              []string // path:line of each comment
}

// String is a row of a table.
func (s shown) String() string {
	return fmt.Sprintf("%d reviews, %d timeline entries, %d comments %v, %d drafts, mails %v",
		s.Reviews, s.Entries, s.Comments, s.Lines, s.Drafts, s.Mails)
}

// shown reads the pull request as the bot, who sees its own drafts.
func (h *host) shown(p pull) (s shown) {
	h.Helper()
	var reviews []struct {
		ID          int64
		State, Body string
		User        struct{ Login string }
	}
	at := fmt.Sprintf("/repos/%s/pulls/%d/reviews", p.Repo, p.Number)
	h.do(bot, "GET", at+"?limit=50", nil, &reviews)
	for _, r := range reviews {
		if r.User.Login != bot {
			continue
		}
		if r.State == "PENDING" {
			s.Drafts++
			continue
		}
		s.Reviews++
		s.Bodies = append(s.Bodies, r.Body)
		var comments []struct {
			Path     string
			Position int `json:"position"`
		}
		h.do("", "GET", fmt.Sprintf("%s/%d/comments", at, r.ID), nil, &comments)
		for _, c := range comments {
			s.Comments++
			s.Lines = append(s.Lines, fmt.Sprintf("%s:%d", c.Path, c.Position))
		}
	}
	slices.Sort(s.Lines)
	var entries []struct {
		Type string
		User struct{ Login string }
	}
	h.do("", "GET", fmt.Sprintf("/repos/%s/issues/%d/timeline?limit=50", p.Repo, p.Number), nil, &entries)
	for _, e := range entries {
		if e.Type == "review" && e.User.Login == bot {
			s.Entries++
		}
	}
	h.server.Flush()
	s.Mails = h.mails.of(p)
	return s
}

// answers returns the comments of the bot in the conversation.
func (h *host) answers(p pull) (out []string) {
	h.Helper()
	var list []struct {
		Body string
		User struct{ Login string }
	}
	h.do("", "GET", fmt.Sprintf("/repos/%s/issues/%d/comments", p.Repo, p.Number), nil, &list)
	for _, c := range list {
		if c.User.Login == bot {
			out = append(out, c.Body)
		}
	}
	return out
}

func (h *host) say(as string, p pull, body string) {
	h.Helper()
	h.do(as, "POST", fmt.Sprintf("/repos/%s/issues/%d/comments", p.Repo, p.Number), map[string]any{"body": body}, nil)
}

// hooks returns the addresses of the webhooks of a repository, or of acme if repo is "".
func (h *host) hooks(repo string) (out []string) {
	h.Helper()
	path := "/orgs/acme/hooks"
	if repo != "" {
		path = "/repos/" + repo + "/hooks"
	}
	var list []struct{ Config struct{ URL string } }
	h.do("", "GET", path, nil, &list)
	for _, k := range list {
		out = append(out, strings.TrimSpace(k.Config.URL))
	}
	return out
}
