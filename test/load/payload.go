package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
)

// delivery is one webhook in the form that GitHub sends.
type delivery struct {
	guid string
	body []byte
}

// payload has the shape of a pull_request event with action synchronize; names and nesting are those of
// GitHub's webhook examples. Deliveries differ in number, commits, repository and times.
type payload struct {
	Action       string       `json:"action"`
	Number       int          `json:"number"`
	PullRequest  pullRequest  `json:"pull_request"`
	Before       string       `json:"before"`
	After        string       `json:"after"`
	Repository   repository   `json:"repository"`
	Installation installation `json:"installation"`
	Sender       user         `json:"sender"`
}

type pullRequest struct {
	URL            string `json:"url"`
	ID             int    `json:"id"`
	NodeID         string `json:"node_id"`
	HTMLURL        string `json:"html_url"`
	DiffURL        string `json:"diff_url"`
	Number         int    `json:"number"`
	State          string `json:"state"`
	Locked         bool   `json:"locked"`
	Title          string `json:"title"`
	User           user   `json:"user"`
	Body           string `json:"body"`
	CreatedAt      string `json:"created_at"`
	UpdatedAt      string `json:"updated_at"`
	Labels         []any  `json:"labels"`
	Head           ref    `json:"head"`
	Base           ref    `json:"base"`
	Draft          bool   `json:"draft"`
	Merged         bool   `json:"merged"`
	MergeableState string `json:"mergeable_state"`
	Commits        int    `json:"commits"`
	Additions      int    `json:"additions"`
	Deletions      int    `json:"deletions"`
	ChangedFiles   int    `json:"changed_files"`
}

type ref struct {
	Label string     `json:"label"`
	Ref   string     `json:"ref"`
	SHA   string     `json:"sha"`
	User  user       `json:"user"`
	Repo  repository `json:"repo"`
}

type repository struct {
	ID            int    `json:"id"`
	NodeID        string `json:"node_id"`
	Name          string `json:"name"`
	FullName      string `json:"full_name"`
	Private       bool   `json:"private"`
	Owner         user   `json:"owner"`
	HTMLURL       string `json:"html_url"`
	Fork          bool   `json:"fork"`
	URL           string `json:"url"`
	CloneURL      string `json:"clone_url"`
	DefaultBranch string `json:"default_branch"`
	Visibility    string `json:"visibility"`
}

type installation struct {
	ID     int64  `json:"id"`
	NodeID string `json:"node_id"`
}

type user struct {
	Login   string `json:"login"`
	ID      int    `json:"id"`
	NodeID  string `json:"node_id"`
	HTMLURL string `json:"html_url"`
	Type    string `json:"type"`
}

// newDelivery makes the i-th delivery of a run. It depends on seed and number only, so that a repeated
// delivery has the same bytes.
func newDelivery(c config, i int) delivery {
	p := newPayload(c, i)
	body, err := json.Marshal(p)
	if err != nil {
		panic(err) // plain strings and numbers
	}
	if missing := c.size - len(body); missing > 0 {
		p.PullRequest.Body += filler(missing)
		body, _ = json.Marshal(p)
	}
	id := digest(c.seed, "delivery", i)
	return delivery{
		guid: fmt.Sprintf("%s-%s-%s-%s-%s", id[:8], id[8:12], id[12:16], id[16:20], id[20:32]),
		body: body,
	}
}

func newPayload(c config, i int) payload {
	repoNo := i % c.repositories
	number := 1 + i/c.repositories%500 // a busy repository: five hundred open pull requests
	owner := user{Login: "load", ID: 1000, NodeID: "MDQ6VXNlcjEwMDA=", HTMLURL: "https://github.example/load", Type: "Organization"}
	author := user{Login: "octocat", ID: 5346, NodeID: "MDQ6VXNlcjUzNDY=", HTMLURL: "https://github.example/octocat", Type: "User"}
	name := fmt.Sprintf("service-%03d", repoNo)
	repo := repository{
		ID: 500_000 + repoNo, NodeID: "R_load", Name: name, FullName: "load/" + name, Private: true, Owner: owner,
		HTMLURL: "https://github.example/load/" + name, URL: "https://github.example/api/v3/repos/load/" + name,
		CloneURL: "https://github.example/load/" + name + ".git", DefaultBranch: "main", Visibility: "private",
	}
	head := digest(c.seed, "head", i)[:40]
	html := fmt.Sprintf("%s/pull/%d", repo.HTMLURL, number)
	return payload{
		Action: "synchronize", Number: number, Before: digest(c.seed, "before", i)[:40], After: head,
		Repository: repo, Installation: installation{ID: c.installation, NodeID: "MDIzOkludGVncmF0aW9u"}, Sender: author,
		PullRequest: pullRequest{
			URL: fmt.Sprintf("%s/pulls/%d", repo.URL, number), ID: 9_000_000 + repoNo*1000 + number, NodeID: "PR_load",
			HTMLURL: html, DiffURL: html + ".diff", Number: number, State: "open", Title: "Retry the payment only when it was refused",
			User: author, Body: "This change makes the retry conditional. ", Labels: []any{},
			CreatedAt: "2026-11-02T09:30:00Z", UpdatedAt: "2026-11-03T10:00:00Z",
			Head:           ref{Label: "load:retry", Ref: "retry", SHA: head, User: owner, Repo: repo},
			Base:           ref{Label: "load:main", Ref: "main", SHA: digest(c.seed, "base", repoNo)[:40], User: owner, Repo: repo},
			MergeableState: "unknown", Commits: 3, Additions: 41, Deletions: 7, ChangedFiles: 5,
		},
	}
}

// filler returns n bytes of prose that JSON does not escape.
func filler(n int) string {
	const text = "The order was charged twice when the bank answered late; see the log of the payment service. "
	return strings.Repeat(text, n/len(text)+1)[:n]
}

func digest(seed, what string, i int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s/%s/%d", seed, what, i))
	return hex.EncodeToString(sum[:])
}

// sign returns the value of X-Hub-Signature-256 (GitHub documentation, "Validating webhook
// deliveries").
func sign(secret, body []byte) string {
	mac := hmac.New(sha256.New, secret)
	mac.Write(body)
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}
