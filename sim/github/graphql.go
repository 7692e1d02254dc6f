package github

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/sim/github/gql"
	"github.com/assay-dev/assay/sim/host"
)

type gqlRequest struct {
	Query         string         `json:"query"`
	OperationName string         `json:"operationName"`
	Variables     map[string]any `json:"variables"`
}

// operationName returns "query x" or "mutation x" for the first field, for the record.
func operationName(body []byte) string {
	var in gqlRequest
	if json.Unmarshal(body, &in) != nil {
		return ""
	}
	doc, err := gql.Parse(in.Query)
	if err != nil {
		return ""
	}
	op := doc.Select(in.OperationName)
	if op == nil || len(op.Fields) == 0 {
		return ""
	}
	return op.Kind + " " + op.Fields[0].Name
}

// graphQL is POST /graphql, for review threads only.
func graphQL(c *call, in gqlRequest) *reply {
	doc, err := gql.Parse(in.Query)
	if err != nil {
		return ok(obj{"errors": []*gql.Error{{Message: err.Error()}}})
	}
	op := doc.Select(in.OperationName)
	if op == nil {
		return ok(obj{"errors": []*gql.Error{{Message: "No operation named " + strconv.Quote(in.OperationName)}}})
	}
	root := c.gqlQuery()
	if op.Kind == "mutation" {
		root = c.gqlMutation()
	}
	data, errs := gql.Exec(doc, op, in.Variables, root)
	out := obj{"data": data}
	if len(errs) > 0 {
		out["errors"] = errs
		if data == nil || slices.ContainsFunc(errs, func(e *gql.Error) bool { return e.Extensions["code"] == "undefinedField" }) {
			delete(out, "data")
		}
	}
	return ok(out)
}

func gqlNotFound(what string) error {
	return &gql.Error{Type: "NOT_FOUND", Message: "Could not resolve to " + what + "."}
}

func gqlForbidden() error {
	return &gql.Error{Type: "FORBIDDEN", Message: "Resource not accessible by integration"}
}

func text(args map[string]any, name string) string {
	s, _ := args[name].(string)
	return s
}

func (c *call) gqlQuery() gql.Object {
	return gql.Object{Type: "Query", Fields: map[string]gql.Resolver{
		"viewer": func(map[string]any) (any, error) { return c.gqlActor(c.actor.login), nil },
		"repository": func(a map[string]any) (any, error) {
			c.s.Mu.Lock()
			r := c.s.st.repo(text(a, "owner"), text(a, "name"))
			refused := c.s.mayUse(c.actor, r, "")
			c.s.Mu.Unlock()
			if refused != nil {
				return nil, gqlNotFound("a Repository with the name '" + text(a, "owner") + "/" + text(a, "name") + "'")
			}
			return c.gqlRepository(r), nil
		},
		"node": func(a map[string]any) (any, error) {
			r, p, root := c.thread(text(a, "id"))
			if root == nil {
				return nil, gqlNotFound("a node with the global id of '" + text(a, "id") + "'")
			}
			return c.gqlThread(r, p, root), nil
		},
	}}
}

func (c *call) gqlRepository(r *repository) gql.Object {
	return gql.Object{Type: "Repository", Fields: map[string]gql.Resolver{
		"id": gql.Value(nodeID("R", r.ID)), "databaseId": gql.Value(r.ID), "name": gql.Value(r.Name), "nameWithOwner": gql.Value(r.FullName()),
		"pullRequest": func(a map[string]any) (any, error) {
			n, _ := a["number"].(float64)
			c.s.Mu.Lock()
			defer c.s.Mu.Unlock()
			p := r.Pulls[int(n)]
			if p == nil {
				return nil, gqlNotFound("a PullRequest with the number of " + strconv.Itoa(int(n)))
			}
			if c.s.mayUse(c.actor, r, "pull_requests:read") != nil {
				return nil, gqlForbidden()
			}
			return c.gqlPull(r, p), nil
		},
	}}
}

func (c *call) gqlPull(r *repository, p *pull) gql.Object {
	return gql.Object{Type: "PullRequest", Fields: map[string]gql.Resolver{
		"id": gql.Value(nodeID("PR", p.ID)), "databaseId": gql.Value(p.ID), "number": gql.Value(p.Number), "title": gql.Value(p.Title),
		"headRefOid": gql.Value(p.HeadSHA), "isDraft": gql.Value(p.Draft), "state": gql.Value(strings.ToUpper(p.State)),
		"reviewThreads": func(a map[string]any) (any, error) {
			c.s.Mu.Lock()
			var roots []*reviewComment
			for _, cm := range p.Comments {
				if cm.InReplyTo == 0 && !p.pending(cm) && !c.lagging(cm.Lag) {
					roots = append(roots, cm)
				}
			}
			c.s.Mu.Unlock()
			return connection(a, "PullRequestReviewThread", roots, func(cm *reviewComment) gql.Object { return c.gqlThread(r, p, cm) })
		},
	}}
}

// thread finds a review thread by its node id, if the caller may see it.
func (c *call) thread(id string) (*repository, *pull, *reviewComment) {
	n, ok := parseNodeID("PRRT", id)
	if !ok {
		return nil, nil, nil
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	for _, r := range c.s.st.Repos {
		for _, p := range r.Pulls {
			if cm := p.comment(n); cm != nil && cm.InReplyTo == 0 && !p.pending(cm) && c.s.mayUse(c.actor, r, "") == nil {
				return r, p, cm
			}
		}
	}
	return nil, nil, nil
}

func (c *call) gqlThread(r *repository, p *pull, root *reviewComment) gql.Object {
	c.s.Mu.Lock()
	base, head, by := p.BaseSHA, p.HeadSHA, p.ResolvedThreads[root.ID]
	c.s.Mu.Unlock()
	at := c.s.place(c.Ctx, r, base, head, []*reviewComment{root})[root.ID]
	f := map[string]gql.Resolver{
		"id": gql.Value(nodeID("PRRT", root.ID)), "isResolved": gql.Value(by != ""), "path": gql.Value(root.Path),
		"line":      gql.Value(number(at.Line)),
		"startLine": gql.Value(number(at.StartLine)), "originalLine": gql.Value(number(root.Line)), "diffSide": gql.Value(root.Side),
		"isOutdated": gql.Value(at.Line == 0 && root.SubjectType == "line"), "isCollapsed": gql.Value(by != ""),
		"subjectType":      gql.Value(strings.ToUpper(root.SubjectType)),
		"viewerCanResolve": gql.Value(by == "" && c.mayResolve(r)), "viewerCanUnresolve": gql.Value(by != "" && c.mayResolve(r)),
		"resolvedBy": gql.Value(nil),
		"comments": func(a map[string]any) (any, error) {
			c.s.Mu.Lock()
			var list []*reviewComment
			for _, cm := range p.Comments {
				if (cm.ID == root.ID || cm.InReplyTo == root.ID) && !p.pending(cm) {
					list = append(list, cm)
				}
			}
			c.s.Mu.Unlock()
			return connection(a, "PullRequestReviewComment", list, func(cm *reviewComment) gql.Object { return c.gqlComment(p, cm) })
		},
	}
	if by != "" {
		who := c.gqlActor(by)
		who.Type = "User" // in the schema, also for an app
		f["resolvedBy"] = gql.Value(who)
	}
	return gql.Object{Type: "PullRequestReviewThread", Fields: f}
}

func (c *call) gqlComment(p *pull, cm *reviewComment) gql.Object {
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	_, page := c.view().pullURL(c.repoOf(p), p)
	return gql.Object{Type: "PullRequestReviewComment", Fields: map[string]gql.Resolver{
		"id": gql.Value(nodeID("PRRC", cm.ID)), "databaseId": gql.Value(cm.ID), "fullDatabaseId": gql.Value(strconv.FormatInt(cm.ID, 10)),
		"body": gql.Value(cm.Body),
		"path": gql.Value(cm.Path), "author": gql.Value(c.gqlActor(cm.User)), "createdAt": gql.Value(cm.Created.RFC3339()),
		"url": gql.Value(page + "#discussion_r" + strconv.FormatInt(cm.ID, 10)),
		"pullRequestReview": gql.Value(gql.Object{Type: "PullRequestReview", Fields: map[string]gql.Resolver{
			"id": gql.Value(nodeID("PRR", cm.ReviewID)), "databaseId": gql.Value(cm.ReviewID)}}),
	}}
}

// repoOf finds the repository of a pull request; Server.Mu is held.
func (c *call) repoOf(p *pull) *repository {
	return host.First(maps.Values(c.s.st.Repos), func(r *repository) bool { return r.Pulls[p.Number] == p })
}

func (c *call) gqlActor(login string) gql.Object {
	short, isBot := strings.CutSuffix(login, "[bot]") // GraphQL shows bots without the suffix
	typ := "User"
	if isBot {
		typ = "Bot"
	}
	var id any
	if u := c.s.st.Users[strings.ToLower(login)]; u != nil {
		id = u.ID
	}
	return gql.Object{Type: typ, Fields: map[string]gql.Resolver{"login": gql.Value(short), "databaseId": gql.Value(id)}}
}

func (c *call) mayResolve(r *repository) bool {
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	return c.s.mayUse(c.actor, r, "pull_requests:write") == nil && c.s.mayUse(c.actor, r, "contents:write") == nil
}

func (c *call) gqlMutation() gql.Object {
	turn := func(resolve bool) gql.Resolver {
		return func(a map[string]any) (any, error) {
			in, _ := a["input"].(map[string]any)
			r, p, root := c.thread(text(in, "threadId"))
			if root == nil {
				return nil, gqlNotFound("a node with the global id of '" + text(in, "threadId") + "'")
			}
			// Resolving needs contents: write beside pull_requests: write (github/gh-aw#35726).
			if !c.mayResolve(r) {
				return nil, gqlForbidden()
			}
			c.repo = r
			c.setResolved(r, p, root, resolve)
			name := "UnresolveReviewThreadPayload"
			if resolve {
				name = "ResolveReviewThreadPayload"
			}
			return gql.Object{Type: name, Fields: map[string]gql.Resolver{
				"thread":           func(map[string]any) (any, error) { return c.gqlThread(r, p, root), nil },
				"clientMutationId": gql.Value(in["clientMutationId"])}}, nil
		}
	}
	return gql.Object{Type: "Mutation", Fields: map[string]gql.Resolver{"resolveReviewThread": turn(true),
		"unresolveReviewThread": turn(false)}}
}

func (c *call) setResolved(r *repository, p *pull, root *reviewComment, resolve bool) {
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	if c.s.setResolved(r, p, root, resolve, c.actor.login) {
		c.wrote("review_thread", "update", root.ID, p.Number)
	}
}
