package tracker

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/sim/github/gql"
	"github.com/assay-dev/assay/sim/host"
	shared "github.com/assay-dev/assay/sim/host/simapi"
	"github.com/assay-dev/assay/sim/tracker/simapi"
)

func linearSpeaker() speaker {
	return speaker{prefixes: []string{"/graphql", "/oauth/"}, serve: (*call).linear, deliver: linearDelivery, sealed: []string{"/oauth/"},
		fail: func(status int, message string) *reply {
			return host.JSON(status, obj{"errors": []obj{linearError("internal error", "INTERNAL_SERVER_ERROR", message)}})
		},
		denied: func(*Server) *reply {
			return ok(obj{"errors": []obj{linearError("forbidden", "FORBIDDEN", "You don't have permission to do this")}})
		},
		limited: linearLimited,
	}
}

// linearError returns an entry of "errors" (packages/sdk/src/types.ts, LinearErrorRaw).
func linearError(kind, code, message string) obj {
	return obj{"message": message, "extensions": obj{"type": kind, "code": code, "userError": true, "userPresentableMessage": message}}
}

// linearLimited returns a refusal for too many requests (linear.app/developers/rate-limiting).
func linearLimited(s *Server, f shared.Fault) *reply {
	rep := host.JSON(http.StatusTooManyRequests, obj{"errors": []obj{linearError("ratelimited", "RATELIMITED", "Rate limit exceeded")}})
	if s.Has(simapi.LimitIs400) {
		rep.Status = http.StatusBadRequest
	} else {
		rep.Set("Retry-After", strconv.Itoa(f.RetrySeconds))
	}
	reset := s.Now().UnixMilli() + int64(f.RetrySeconds)*1000
	return rep.Set("X-RateLimit-Requests-Limit", "5000").Set("X-RateLimit-Requests-Remaining", "0").Set("X-RateLimit-Requests-Reset",
		strconv.FormatInt(reset, 10))
}

// operation returns "query x" or "mutation x" for the first field of a GraphQL request, for the record.
func operation(path string, body []byte) string {
	if path != "/graphql" {
		return ""
	}
	var in struct{ Query string }
	if json.Unmarshal(body, &in) != nil {
		return ""
	}
	doc, err := gql.Parse(in.Query)
	if err != nil || doc.Select("") == nil || len(doc.Select("").Fields) == 0 {
		return ""
	}
	return doc.Select("").Kind + " " + doc.Select("").Fields[0].Name
}

// linear answers a request in Linear's dialect.
func (c *call) linear() *reply {
	if strings.HasPrefix(c.Path, "/oauth/") {
		return c.oauth()
	}
	if c.actor == nil {
		return host.JSON(http.StatusUnauthorized, obj{"errors": []obj{linearError("authentication error", "AUTHENTICATION_ERROR",
			"Authentication required, not authenticated")}})
	}
	var in struct {
		Query     string
		Variables map[string]any
	}
	if !c.decode(&in) {
		return host.JSON(http.StatusBadRequest, obj{"errors": []obj{linearError("graphql error", "BAD_REQUEST",
			"POST body missing, invalid Content-Type, or JSON object has no keys.")}})
	}
	doc, err := gql.Parse(in.Query)
	if err != nil || doc.Select("") == nil {
		return host.JSON(http.StatusBadRequest, obj{"errors": []obj{linearError("graphql error", "GRAPHQL_PARSE_FAILED", "Syntax Error")}})
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	root := c.linearQuery()
	if doc.Select("").Kind == "mutation" {
		root = c.linearMutation()
	}
	data, errs := gql.Exec(doc, doc.Select(""), in.Variables, root)
	if len(errs) == 0 {
		return ok(obj{"data": data})
	}
	for _, e := range errs {
		if e.Extensions["code"] == "undefinedField" {
			return host.JSON(http.StatusBadRequest, obj{"errors": []obj{linearError("graphql error", "GRAPHQL_VALIDATION_FAILED", e.Message)}})
		}
	}
	return ok(obj{"data": nil, "errors": errs})
}

func refusal(kind, code, message, shown string) error {
	return &gql.Error{Message: message, Extensions: map[string]any{"type": kind, "code": code, "userError": true,
		"userPresentableMessage": shown}}
}

func entityNotFound(what string) error {
	return refusal("invalid input", "INPUT_ERROR", "Entity not found: "+what, "Could not find referenced "+what+".")
}

// linearQuery returns the root of queries; Server.Mu is held.
func (c *call) linearQuery() gql.Object {
	s := c.s
	return gql.Object{Type: "Query", Fields: map[string]gql.Resolver{
		"viewer": func(map[string]any) (any, error) { return c.linearUser(c.actor.ID), nil },
		"teams": func(a map[string]any) (any, error) {
			return connection(a, s.st.sortedProjects(), c.linearTeam)
		},
		"issue": func(a map[string]any) (any, error) {
			i := s.visibleIssue(text(a, "id"))
			if i == nil {
				return nil, entityNotFound("Issue")
			}
			return c.linearIssue(i), nil
		},
		"issues": func(a map[string]any) (any, error) {
			filter, _ := a["filter"].(map[string]any)
			team, _ := filter["team"].(map[string]any)
			key, _ := team["key"].(map[string]any)
			return connection(a, s.newest(text(key, "eq")), c.linearIssue)
		},
		"attachmentsForURL": func(a map[string]any) (any, error) {
			var list []attached
			for _, i := range s.st.Issues {
				if l := i.linkTo("", text(a, "url")); l != nil && !i.Hidden {
					list = append(list, attached{i, l})
				}
			}
			return connection(a, list, c.linearAttachment)
		},
	}}
}

func text(args map[string]any, name string) string {
	v, _ := args[name].(string)
	return v
}

// connection returns a page of a list: "first" entries after the cursor "after", which is a position in the
// list.
func connection[T any](args map[string]any, list []T, shown func(T) gql.Object) (any, error) {
	first := 50
	switch n := args["first"].(type) {
	case float64:
		first = int(n)
	case int:
		first = n
	}
	if first < 1 || first > 250 {
		return nil, refusal("invalid input", "INPUT_ERROR", "Argument Validation Error", "first must be between 1 and 250")
	}
	from := 0
	if last, given := args["last"].(float64); given {
		from, first = max(0, len(list)-int(last)), int(last)
	}
	if at, err := strconv.Atoi(text(args, "after")); err == nil {
		from = min(max(at, 0), len(list))
	}
	end := min(from+first, len(list))
	nodes := []gql.Object{}
	for _, x := range list[from:end] {
		nodes = append(nodes, shown(x))
	}
	info := gql.Object{Type: "PageInfo", Fields: map[string]gql.Resolver{"hasNextPage": gql.Value(end < len(list)),
		"endCursor": gql.Value(strconv.Itoa(end))}}
	return gql.Object{Type: "Connection", Fields: map[string]gql.Resolver{"nodes": gql.Value(nodes), "pageInfo": gql.Value(info)}}, nil
}

type attached struct {
	issue *issue
	link  *link
}

func (c *call) linearAttachment(a attached) gql.Object {
	return gql.Object{Type: "Attachment", Fields: map[string]gql.Resolver{"id": gql.Value(a.link.ID), "url": gql.Value(a.link.URL),
		"title": gql.Value(a.link.Title),
		"issue": func(map[string]any) (any, error) { return c.linearIssue(a.issue), nil }}}
}

func (c *call) linearUser(id string) gql.Object {
	return gql.Object{Type: "User", Fields: map[string]gql.Resolver{"id": gql.Value(id), "name": gql.Value(c.s.nameOf(id)),
		"displayName": gql.Value(strings.ToLower(c.s.nameOf(id))),
		"isMe":        gql.Value(id == c.actor.ID)}}
}

func (c *call) linearTeam(p *project) gql.Object {
	return gql.Object{Type: "Team", Fields: map[string]gql.Resolver{"id": gql.Value(p.ID), "key": gql.Value(p.Key), "name": gql.Value(p.Name)}}
}

func (c *call) linearIssue(i *issue) gql.Object {
	s := c.s
	kind := "started"
	if i.Done {
		kind = "completed"
	}
	state := gql.Object{Type: "WorkflowState", Fields: map[string]gql.Resolver{"name": gql.Value(i.State), "type": gql.Value(kind)}}
	return gql.Object{Type: "Issue", Fields: map[string]gql.Resolver{
		"id": gql.Value(i.ID), "identifier": gql.Value(s.key(i)), "url": gql.Value(s.page(i)), "title": gql.Value(i.Title),
		"description": gql.Value(i.Text),
		"updatedAt":   gql.Value(stamp(i.Edited)), "trashed": gql.Value(nil), "state": gql.Value(state),
		"team": func(map[string]any) (any, error) { return c.linearTeam(s.st.project(i.Project)), nil },
		"parent": func(map[string]any) (any, error) {
			if p := s.find(i.Parent); i.Parent != "" && p != nil {
				return c.linearIssue(p), nil
			}
			return nil, nil
		},
		"attachments": func(a map[string]any) (any, error) {
			return connection(a, i.Links, func(l *link) gql.Object { return c.linearAttachment(attached{i, l}) })
		},
		"comments": func(a map[string]any) (any, error) {
			list := slices.Clone(i.Comments)
			if !s.On(simapi.OldCommentsFirst) {
				slices.Reverse(list)
			}
			return connection(a, list, c.linearComment)
		},
	}}
}

func (c *call) linearComment(x *comment) gql.Object {
	return gql.Object{Type: "Comment", Fields: map[string]gql.Resolver{"id": gql.Value(x.ID), "body": gql.Value(x.Text),
		"createdAt": gql.Value(stamp(x.Created)),
		"user":      gql.Value(c.linearUser(x.Account)), "botActor": gql.Value(nil)}}
}

// linearMutation returns the root of mutations; Server.Mu is held.
func (c *call) linearMutation() gql.Object {
	s := c.s
	done := func(kind string, fields map[string]gql.Resolver) gql.Object {
		fields["success"] = gql.Value(true)
		return gql.Object{Type: kind, Fields: fields}
	}
	input := func(a map[string]any) map[string]any { in, _ := a["input"].(map[string]any); return in }
	return gql.Object{Type: "Mutation", Fields: map[string]gql.Resolver{
		"commentCreate": func(a map[string]any) (any, error) {
			i := s.visibleIssue(text(input(a), "issueId"))
			if i == nil {
				return nil, entityNotFound("Issue")
			}
			x := s.addComment(i, c.actor.ID, text(input(a), "body"), nil)
			c.wrote("comment", "create", i)
			return done("CommentPayload", map[string]gql.Resolver{"comment": gql.Value(c.linearComment(x))}), nil
		},
		"commentUpdate": func(a map[string]any) (any, error) {
			for _, i := range s.st.Issues {
				x := i.comment(text(a, "id"))
				if x == nil || i.Hidden {
					continue
				}
				if x.Account != c.actor.ID {
					return nil, refusal("forbidden", "FORBIDDEN", "Forbidden", "You can only edit your own comments")
				}
				x.Text, x.Edited = text(input(a), "body"), s.tick()
				s.notifyHooks(issueEvent{what: commentEdited, issue: i, comment: x})
				c.wrote("comment", "update", i)
				return done("CommentPayload", map[string]gql.Resolver{"comment": gql.Value(c.linearComment(x))}), nil
			}
			return nil, entityNotFound("Comment")
		},
		"attachmentCreate": func(a map[string]any) (any, error) {
			i := s.visibleIssue(text(input(a), "issueId"))
			if i == nil {
				return nil, entityNotFound("Issue")
			}
			l, fresh := s.addLink(i, simapi.Link{URL: text(input(a), "url"), Title: text(input(a), "title")})
			c.wrote("link", map[bool]string{true: "create", false: "update"}[fresh], i)
			return done("AttachmentPayload", map[string]gql.Resolver{"attachment": gql.Value(c.linearAttachment(attached{i, l}))}), nil
		},
	}}
}

// linearDelivery returns a webhook's delivery (linear.app/developers/webhooks); Server.Mu is held.
func linearDelivery(s *Server, h *hook, x issueEvent) (map[string]string, []byte) {
	kind, action := "Issue", []string{"create", "update", "remove", "create", "update"}[x.what]
	data := obj{"id": x.issue.ID, "identifier": s.key(x.issue), "title": x.issue.Title,
		"team": obj{"id": x.project.ID, "key": x.project.Key, "name": x.project.Name}}
	if x.comment != nil {
		kind = "Comment"
		data = obj{"id": x.comment.ID, "body": x.comment.Text, "issueId": x.issue.ID,
			"issue": obj{"id": x.issue.ID, "identifier": s.key(x.issue), "title": x.issue.Title, "team": obj{"key": x.project.Key}}}
	}
	body := host.Encode(obj{"action": action, "type": kind, "createdAt": stamp(s.NowMicros()), "data": data, "url": s.page(x.issue),
		"organizationId":   "sim",
		"webhookTimestamp": s.Now().UnixMilli(), "webhookId": strconv.FormatInt(h.ID, 10)})
	return map[string]string{"Content-Type": "application/json; charset=utf-8", deliveryHeader: host.NewGUID(), "Linear-Event": kind,
		"User-Agent":       "Linear-Webhook",
		"Linear-Signature": sign(h.Secret, body)}, body
}

// sign returns the hexadecimal HMAC-SHA256 of a body.
func sign(key string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(key))
	_, _ = mac.Write(body) // a hash never fails
	return hex.EncodeToString(mac.Sum(nil))
}
