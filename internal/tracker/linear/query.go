package linear

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/tracker"
	"github.com/assay-dev/assay/internal/tracker/wire"
)

// The operations. A test checks them against the published schema.
const (
	queryWho   = `query Who { viewer { id name displayName } }`
	queryTeams = `query Teams($first: Int!, $after: String) {
  teams(first: $first, after: $after) { nodes { key name } pageInfo { hasNextPage endCursor } }
}`
	queryIssue = `query Issue($id: String!, $comments: Int!) { issue(id: $id) { ...Whole } }
` + fragmentWhole
	queryNewest = `query Newest($team: String!, $first: Int!, $comments: Int!) {
  issues(first: $first, orderBy: updatedAt, filter: { team: { key: { eq: $team } } }) { nodes { ...Whole } }
}
` + fragmentWhole
	fragmentWhole = `fragment Whole on Issue {
  id identifier url title description updatedAt trashed
  team { key }
  state { name type }
  parent { identifier }
  attachments(first: 50) { nodes { url } }
  comments(first: $comments, orderBy: createdAt) { nodes { ...Said } pageInfo { hasNextPage } }
}
` + fragmentSaid
	fragmentSaid = `fragment Said on Comment { id body createdAt user { id name displayName isMe } botActor { name } }`
	queryLast    = `query Last($id: String!, $last: Int!) { ` +
		`issue(id: $id) { comments(last: $last, orderBy: createdAt) { nodes { ...Said } } } }
` + fragmentSaid
	queryLinked = `query Linked($url: String!, $first: Int!) {
  attachmentsForURL(url: $url, first: $first) { nodes { issue { identifier } } }
}`
	queryComments = `query Comments($id: String!, $first: Int!, $after: String) {
  issue(id: $id) { comments(first: $first, after: $after) { nodes { id body user { isMe } } pageInfo { hasNextPage endCursor } } }
}`
	createComment = `mutation Create($input: CommentCreateInput!) { commentCreate(input: $input) { success comment { id } } }`
	updateComment = `mutation Update($id: String!, $input: CommentUpdateInput!) { commentUpdate(id: $id, input: $input) { success ` +
		`comment { id } } }`
	createLink = `mutation Link($input: AttachmentCreateInput!) { attachmentCreate(input: $input) { success attachment { id } } }`
)

// page is a connection in GraphQL.
type page[T any] struct {
	Nodes    []T
	PageInfo struct {
		HasNextPage bool
		EndCursor   *string
	}
}

// next returns the cursor after the page. It returns nil at the end, or if the tracker repeats the cursor.
func (p page[T]) next(before *string) *string {
	c := p.PageInfo.EndCursor
	if !p.PageInfo.HasNextPage || c == nil || *c == "" || before != nil && *before == *c || len(p.Nodes) == 0 {
		return nil
	}
	return c
}

type team struct{ Key, Name string }

type person struct {
	ID, Name, DisplayName string
	IsMe                  bool
}

func (p person) displayName() string { return wire.Word(cmp.Or(p.DisplayName, p.Name)) }

type comment struct {
	ID, Body, CreatedAt string
	User                *person
	BotActor            *struct{ Name string }
}

type issue struct {
	ID, Identifier, URL, Title, Description, UpdatedAt string
	Trashed                                            bool
	Team                                               team
	State                                              struct{ Name, Type string }
	Parent                                             *struct{ Identifier string }
	Attachments                                        page[struct{ URL string }]
	Comments                                           page[comment]
}

// convert converts the issue. Among the seven values of WorkflowState.type only completed counts as done;
// canceled work does not.
func (i issue) convert(want tracker.Want) tracker.Issue {
	out := tracker.Issue{Key: wire.Line(i.Identifier, tracker.MaxKey), ID: wire.Word(i.ID), Project: wire.Word(i.Team.Key),
		URL:   wire.Address(i.URL),
		State: wire.Word(i.State.Name), Done: i.State.Type == "completed", Title: wire.Title(i.Title), UpdatedAt: wire.Time(i.UpdatedAt)}
	out.Description, out.Cut = wire.Clean(i.Description, tracker.MaxText)
	if i.Parent != nil {
		out.Parent = wire.Line(i.Parent.Identifier, tracker.MaxKey)
	}
	var links []string
	for _, a := range i.Attachments.Nodes {
		links = append(links, a.URL)
	}
	out.PullRequests = wire.PullRequests(links)
	if want.Comments {
		out.Comments = convertComments(i.Comments.Nodes)
	}
	return out
}

// isOldestFirst reports whether the list has more comments and begins with the oldest ones, because the
// documentation of the order names only a field.
func (p page[T]) isOldestFirst(at func(T) time.Time) bool {
	n := len(p.Nodes)
	return p.PageInfo.HasNextPage && n > 1 && at(p.Nodes[0]).Before(at(p.Nodes[n-1]))
}

func convertComments(nodes []comment) []tracker.Comment {
	var list []tracker.Comment
	for _, c := range nodes {
		r := tracker.Comment{ID: wire.Word(c.ID), At: wire.Time(c.CreatedAt)}
		r.Text, _ = wire.Clean(c.Body, tracker.MaxComment)
		switch {
		case c.User != nil:
			r.Author, r.Own = c.User.displayName(), c.User.IsMe
		case c.BotActor != nil:
			r.Author = wire.Word(c.BotActor.Name)
		}
		list = append(list, r)
	}
	slices.SortStableFunc(list, func(a, b tracker.Comment) int { return a.At.Compare(b.At) })
	return wire.Comments(list)
}

// withMarker returns a text with its marker below it. The marker is small but visible, because Linear drops
// HTML comments and comments have no properties.
func withMarker(text, marker string) string {
	return strings.TrimRight(text, "\n") + "\n\n" + mark(marker)
}

func mark(marker string) string { return "`" + marker + "`" }
