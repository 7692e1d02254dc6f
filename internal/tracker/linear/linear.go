// Package linear is the adapter to Linear: its GraphQL API with a personal API key or an OAuth access
// token, the OAuth code flow, and its webhooks.
//
// Facts about the wire are from the schema of github.com/linear/linear (packages/sdk/src/schema.graphql),
// from its error types (packages/sdk/src/types.ts, LinearErrorType), and from linear.app/developers
// (graphql, pagination, rate-limiting, webhooks, oauth-2-0-authentication). Texts are Markdown. Acceptance
// criteria are in the description, because workspaces cannot define fields.
package linear

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"time"

	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/tracker"
	"github.com/assay-dev/assay/internal/tracker/wire"
)

// keyForm matches an issue's identifier: the key of its team and a number.
var keyForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]{0,31}-[1-9][0-9]{0,9}$`)

var teamForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]{0,31}$`)

// pageSize is the number of entries per request. The complexity of a query, which is limited, grows with it
// (linear.app/developers/rate-limiting).
const pageSize = 50

type adapter struct {
	send *wire.Sender
	url  string // address of the GraphQL API
}

// New checks the configuration and returns a Tracker. It sends nothing.
func New(cfg tracker.Config) (tracker.Tracker, error) {
	if cfg.Client == nil || cfg.Token == nil {
		return nil, errors.New("linear: Client and Token are needed")
	}
	base, err := wire.Base(cfg.BaseURL)
	if err != nil {
		return nil, errors.New("linear: " + err.Error())
	}
	// The header contains a personal key alone, and an access token after "Bearer"
	// (linear.app/developers/graphql, "Authentication").
	value := secret.Secret.Reveal
	if cfg.Bearer {
		value = func(s secret.Secret) string { return "Bearer " + s.Reveal() }
	}
	return &adapter{send: wire.NewSender(cfg.Client, wire.Token(cfg, value), judge), url: apiBase(base) + "/graphql"}, nil
}

// apiBase returns the address of the API: a separate host for linear.app, and the same address for others,
// such as a simulator or a proxy.
func apiBase(base *url.URL) string {
	if base.Hostname() == "linear.app" {
		return base.Scheme + "://api." + base.Host
	}
	return base.String()
}

func (a *adapter) ask(ctx context.Context, op, query string, vars map[string]any, out any) error {
	return a.run(ctx, wire.Call{Op: op}, query, vars, out)
}

// change runs a mutation. A lost answer is ambiguous.
func (a *adapter) change(ctx context.Context, op, query string, vars map[string]any, out any) error {
	return a.run(ctx, wire.Call{Op: op, Effect: true}, query, vars, out)
}

func (a *adapter) run(ctx context.Context, c wire.Call, query string, vars map[string]any, out any) error {
	c.Method, c.URL = "POST", a.url
	return a.send.JSON(ctx, c, map[string]any{"query": query, "variables": vars}, &struct {
		Data any `json:"data"`
	}{out})
}

// OwnAccount implements [tracker.Reader].
func (a *adapter) OwnAccount(ctx context.Context) (tracker.Account, error) {
	var out struct{ Viewer person }
	if err := a.ask(ctx, "who am I", queryWho, nil, &out); err != nil {
		return tracker.Account{}, err
	}
	return tracker.Account{ID: wire.Word(out.Viewer.ID), Name: out.Viewer.displayName()}, nil
}

// Projects implements [tracker.Reader] with the teams.
func (a *adapter) Projects(ctx context.Context) ([]tracker.Project, error) {
	const op = "list teams"
	var after *string
	return wire.Projects(ctx, op, func(ctx context.Context, _ int) ([]team, bool, error) {
		var out struct{ Teams page[team] }
		err := a.ask(ctx, op, queryTeams, map[string]any{"first": pageSize, "after": after}, &out)
		after = out.Teams.next(after)
		return out.Teams.Nodes, after != nil, err
	}, func(t team) (tracker.Project, bool) {
		return tracker.Project{Key: t.Key, Name: wire.Word(t.Name)}, teamForm.MatchString(t.Key)
	})
}

// Issue implements [tracker.Reader].
func (a *adapter) Issue(ctx context.Context, key string, want tracker.Want) (tracker.Issue, error) {
	const op = "read issue"
	if !keyForm.MatchString(key) {
		return tracker.Issue{}, wire.UnknownIssue(op)
	}
	var out struct{ Issue *issue }
	if err := a.ask(ctx, op, queryIssue, map[string]any{"id": key, "comments": comments(want)}, &out); err != nil {
		return tracker.Issue{}, err
	}
	if out.Issue == nil || out.Issue.Trashed {
		return tracker.Issue{}, wire.UnknownIssue(op)
	}
	if want.Comments && out.Issue.Comments.isOldestFirst(func(c comment) time.Time { return wire.Time(c.CreatedAt) }) {
		var last struct {
			Issue *struct{ Comments page[comment] }
		}
		if err := a.ask(ctx, op, queryLast, map[string]any{"id": key, "last": tracker.MaxComments}, &last); err != nil {
			return tracker.Issue{}, err
		}
		if last.Issue != nil {
			out.Issue.Comments = last.Issue.Comments
		}
	}
	return out.Issue.convert(want), nil
}

// Newest implements [tracker.Reader].
func (a *adapter) Newest(ctx context.Context, project string, n int, want tracker.Want) ([]tracker.Issue, error) {
	const op = "list issues"
	if !teamForm.MatchString(project) {
		return nil, wire.UnknownIssue(op)
	}
	var out struct{ Issues page[issue] }
	vars := map[string]any{"team": project, "first": min(max(n, 1), 20), "comments": comments(want)}
	if err := a.ask(ctx, op, queryNewest, vars, &out); err != nil {
		return nil, err
	}
	list := []tracker.Issue{}
	for _, i := range out.Issues.Nodes[:min(len(out.Issues.Nodes), 20)] {
		list = append(list, i.convert(want))
	}
	return list, nil
}

// comments returns the number of comments to request, which must be at least one. It relies on the newest
// coming first (linear.app/developers/pagination, "orderBy"); reading a single issue checks that order.
func comments(want tracker.Want) int {
	if want.Comments {
		return tracker.MaxComments
	}
	return 1
}

// LinkedTo implements [tracker.Reader].
func (a *adapter) LinkedTo(ctx context.Context, pullRequest string) ([]string, error) {
	address := wire.Address(pullRequest)
	if address == "" {
		return []string{}, nil
	}
	var out struct {
		AttachmentsForURL page[struct{ Issue *issue }]
	}
	if err := a.ask(ctx, "find linked issues", queryLinked, map[string]any{"url": address, "first": tracker.MaxLinks}, &out); err != nil {
		return nil, err
	}
	keys := []string{}
	for _, at := range out.AttachmentsForURL.Nodes {
		if at.Issue != nil && keyForm.MatchString(at.Issue.Identifier) && !slices.Contains(keys, at.Issue.Identifier) {
			keys = append(keys, at.Issue.Identifier)
		}
	}
	return keys[:min(len(keys), tracker.MaxLinks)], nil
}
