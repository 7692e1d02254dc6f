package github

import (
	"context"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
)

// Fields of threads. REST lists their comments, but not which threads are resolved, and by whom.
const (
	openFields   = `isResolved isOutdated path line startLine diffSide comments(first: 1) { nodes { body author { __typename login } } }`
	closedFields = `isResolved isOutdated resolvedBy { __typename login databaseId }
		comments(first: 1) { nodes { url author { __typename login } } }`
)

// threadsQuery reads the newest threads with the fields of each.
func threadsQuery(fields string) string {
	return `query($owner: String!, $name: String!, $number: Int!, $before: String) { ` +
		`repository(owner: $owner, name: $name) { pullRequest(number: $number) {
	reviewThreads(last: 100, before: $before) { pageInfo { hasPreviousPage startCursor } nodes { ` + fields + ` } } } } }`
}

// commentLink matches the URL of an inline comment. databaseId has 32 bits, too few for github.com, and older versions of
// Enterprise Server lack fullDatabaseId.
var commentLink = regexp.MustCompile(`#discussion_r([1-9][0-9]{0,18})$`)

// threadPages is the most pages that are read, because the number of resolved threads has no limit.
const threadPages = 5

// threadNode is a thread of the query's answer.
type threadNode struct {
	IsResolved, IsOutdated bool
	Path, DiffSide         string
	Line, StartLine        int // 0 for null
	Comments               struct {
		Nodes []struct {
			Body   string
			URL    string
			Author *actor // null if the account is gone
		}
	}
	ResolvedBy *actor // null for an open thread and if the account is gone
}

// actor is an account in an answer to a query.
type actor struct {
	Typename   string `json:"__typename"`
	Login      string
	DatabaseID int64
}

func (a *actor) isBot() bool { return a != nil && a.Typename == "Bot" }

// is reports whether the actor is our app. GraphQL shows bots without the suffix of their logins.
func (a *actor) is(self account) bool {
	return a.isBot() && strings.EqualFold(strings.TrimSuffix(a.Login, botSuffix)+botSuffix, self.login)
}

// closer returns the account that closed a thread. Its type in the schema is User, also for an app.
func (a *actor) closer(self account) codehost.Sender {
	isBot := a.isBot() || strings.HasSuffix(a.Login, botSuffix) || strings.EqualFold(a.Login+botSuffix, self.login)
	return codehost.Sender{Login: a.Login, ID: wire.HostID(a.DatabaseID), IsBot: isBot}
}

// threadAnswer is the answer to a [threadsQuery].
type threadAnswer struct {
	Data *struct {
		Repository *struct {
			PullRequest *struct {
				ReviewThreads struct {
					PageInfo struct {
						HasPreviousPage bool
						StartCursor     string
					}
					Nodes []threadNode
				}
			}
		}
	}
	Errors []struct{ Type, Message string }
}

// Threads implements [codehost.Reader].
func (h *Host) Threads(ctx context.Context, repo codehost.Repo, number int) ([]codehost.Thread, error) {
	var out []codehost.Thread
	err := h.eachThread(ctx, "list threads", openFields, repo, number, func(self account, n threadNode) (more bool) {
		if t, open := n.thread(self); open {
			out = append(out, t)
		}
		return len(out) < codehost.MaxThreads
	})
	return out, err
}

// ClosedThreads implements [codehost.Reader] with the newest 500 threads.
func (h *Host) ClosedThreads(ctx context.Context, repo codehost.Repo, number int,
	_ []domain.HostID) (map[domain.HostID]codehost.Sender, error) {
	out := map[domain.HostID]codehost.Sender{}
	err := h.eachThread(ctx, "list closed threads", closedFields, repo, number, func(self account, n threadNode) (more bool) {
		if !n.IsResolved || n.IsOutdated || n.ResolvedBy == nil || len(n.Comments.Nodes) == 0 || !n.Comments.Nodes[0].Author.is(self) {
			return true
		}
		id := commentLink.FindStringSubmatch(n.Comments.Nodes[0].URL)
		if by := n.ResolvedBy.closer(self); id != nil && !by.IsBot {
			out[domain.HostID(id[1])] = by
		}
		return true
	})
	return out, err
}

// eachThread visits the newest threads of a pull request, newest first, until visit returns false.
func (h *Host) eachThread(ctx context.Context, op, fields string, repo codehost.Repo, number int,
	visit func(account, threadNode) (more bool)) error {
	if err := wire.CheckPull(op, repo, number); err != nil {
		return err
	}
	self, err := h.ownAccount(ctx)
	if err != nil {
		return err
	}
	variables := map[string]any{"owner": repo.Owner, "name": repo.Name, "number": number}
	for range threadPages {
		var answer threadAnswer
		if err := h.query(ctx, op, fields, repo, variables, &answer); err != nil {
			return err
		}
		if len(answer.Errors) > 0 || answer.Data == nil || answer.Data.Repository == nil || answer.Data.Repository.PullRequest == nil {
			return answer.errorOf(op)
		}
		page := answer.Data.Repository.PullRequest.ReviewThreads
		for _, n := range slices.Backward(page.Nodes) {
			if !visit(self, n) {
				return nil
			}
		}
		if !page.PageInfo.HasPreviousPage || page.PageInfo.StartCursor == variables["before"] {
			break
		}
		variables["before"] = page.PageInfo.StartCursor
	}
	return nil
}

// query sends a GraphQL request. Its path is /graphql, and /api/graphql on Enterprise Server.
func (h *Host) query(ctx context.Context, op, fields string, repo codehost.Repo, variables map[string]any, answer *threadAnswer) error {
	path := "/graphql"
	if before, found := strings.CutSuffix(h.api.Path, "/v3/"); found {
		path = before + path
	}
	return h.run(ctx, h.installationCall(op, repo.Access, scopeRead), func(ctx context.Context) error {
		req, err := h.client.NewRequest(ctx, http.MethodPost, path, map[string]any{"query": threadsQuery(fields), "variables": variables})
		if err != nil {
			return err
		}
		_, err = h.client.Do(req, answer)
		return err
	})
}

// errorOf returns the error of an answer without data, or with a part of them.
func (a threadAnswer) errorOf(op string) error {
	out := &codehost.Error{Class: codehost.ClassUnavailable, Op: op, Message: "the answer holds no pull request"}
	for _, e := range a.Errors {
		switch e.Type {
		case "NOT_FOUND":
			out.Class = codehost.ClassNotFound
		case "FORBIDDEN":
			out.Class = codehost.ClassForbidden
		}
		out.Message = wire.OneLine(e.Message, 200)
	}
	return out
}

// thread converts a node. It returns false unless the thread is open and on lines.
func (n threadNode) thread(self account) (codehost.Thread, bool) {
	if n.IsResolved || n.IsOutdated || n.Line <= 0 || len(n.Comments.Nodes) == 0 {
		return codehost.Thread{}, false
	}
	first := n.Comments.Nodes[0]
	t := codehost.Thread{Path: n.Path, Side: n.DiffSide, StartLine: n.StartLine, Line: n.Line, Body: first.Body}
	if t.StartLine <= 0 || t.StartLine > t.Line {
		t.StartLine = t.Line
	}
	if first.Author != nil {
		t.Author, t.Bot, t.Mine = first.Author.Login, first.Author.isBot(), first.Author.is(self)
	}
	return t.Bounded()
}
