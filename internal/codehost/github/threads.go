package github

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
)

// threadsQuery reads the newest threads. REST lists their comments, but not which threads are resolved.
const threadsQuery = `query($owner: String!, $name: String!, $number: Int!, $before: String) { ` +
	`repository(owner: $owner, name: $name) { pullRequest(number: $number) {
	reviewThreads(last: 100, before: $before) { pageInfo { hasPreviousPage startCursor }
		nodes { isResolved isOutdated path line startLine diffSide comments(first: 1) { nodes { body author { __typename login } } } } } } } }`

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
			Author *struct { // null if the account is gone
				Typename string `json:"__typename"`
				Login    string
			}
		}
	}
}

// threadAnswer is the answer to [threadsQuery].
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
	const op = "list threads"
	if err := wire.CheckPull(op, repo, number); err != nil {
		return nil, err
	}
	self, err := h.ownAccount(ctx)
	if err != nil {
		return nil, err
	}
	var out []codehost.Thread
	variables := map[string]any{"owner": repo.Owner, "name": repo.Name, "number": number}
	for range threadPages {
		var answer threadAnswer
		if err := h.query(ctx, op, repo, variables, &answer); err != nil {
			return nil, err
		}
		if answer.Data == nil || answer.Data.Repository == nil || answer.Data.Repository.PullRequest == nil {
			return nil, answer.errorOf(op)
		}
		page := answer.Data.Repository.PullRequest.ReviewThreads
		for _, n := range slices.Backward(page.Nodes) {
			if t, open := n.thread(self); open && len(out) < codehost.MaxThreads {
				out = append(out, t)
			}
		}
		if !page.PageInfo.HasPreviousPage || len(out) == codehost.MaxThreads || page.PageInfo.StartCursor == variables["before"] {
			break
		}
		variables["before"] = page.PageInfo.StartCursor
	}
	return out, nil
}

// query sends a GraphQL request. Its path is /graphql, and /api/graphql on Enterprise Server.
func (h *Host) query(ctx context.Context, op string, repo codehost.Repo, variables map[string]any, answer *threadAnswer) error {
	path := "/graphql"
	if before, found := strings.CutSuffix(h.api.Path, "/v3/"); found {
		path = before + path
	}
	return h.run(ctx, h.installationCall(op, repo.Access, scopeRead), func(ctx context.Context) error {
		req, err := h.client.NewRequest(ctx, http.MethodPost, path, map[string]any{"query": threadsQuery, "variables": variables})
		if err != nil {
			return err
		}
		_, err = h.client.Do(req, answer)
		return err
	})
}

// errorOf returns the error of an answer without data.
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
		t.Author, t.Bot = first.Author.Login, first.Author.Typename == "Bot"
		t.Mine = t.Bot && strings.EqualFold(t.Author+"[bot]", self.login)
	}
	return t.Bounded()
}
