package azureboards

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/azure"
	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/tracker"
	"github.com/assay-dev/assay/internal/tracker/text"
	"github.com/assay-dev/assay/internal/tracker/wire"
)

type item struct {
	ID        int64
	Rev       int64
	Fields    map[string]json.RawMessage
	Relations []relation
	// MultilineFieldsFormat marks long texts in "markdown". The others are HTML.
	MultilineFieldsFormat map[string]string
}

type relation struct {
	Rel, URL   string
	Attributes struct{ Name, Comment string }
}

// textField returns a text field, or "" if the field is absent or not a text.
func (i item) textField(name string) string {
	var s string
	if json.Unmarshal(i.Fields[name], &s) != nil {
		return ""
	}
	return s
}

// markdownField returns a long text as Markdown.
func (i item) markdownField(name string, n int) (md string, cut bool) {
	if i.MultilineFieldsFormat[name] == "markdown" {
		return wire.Clean(i.textField(name), n)
	}
	return text.FromHTML(i.textField(name), n)
}

// convertItem converts a work item, and requests its further parts.
func (a *adapter) convertItem(ctx context.Context, i item, want tracker.Want) (tracker.Issue, error) {
	key := strconv.FormatInt(i.ID, 10)
	project, kind, state := i.textField("System.TeamProject"), i.textField("System.WorkItemType"), i.textField("System.State")
	if !projectForm.MatchString(project) || i.ID <= 0 {
		return tracker.Issue{}, &tracker.Error{Class: tracker.ClassUnavailable, Op: "read work item", Message: "the answer names no project"}
	}
	out := tracker.Issue{Key: key, ID: key, Project: project, Type: wire.Word(kind), State: wire.Word(state),
		Title:     wire.Title(i.textField("System.Title")),
		URL:       wire.Address(a.base + "/" + url.PathEscape(project) + "/_workitems/edit/" + key),
		UpdatedAt: wire.Time(i.textField("System.ChangedDate"))}
	// A bug has its text in another field (process guidance, field index).
	for _, name := range []string{"System.Description", "Microsoft.VSTS.TCM.ReproSteps"} {
		if out.Description == "" {
			out.Description, out.Cut = i.markdownField(name, tracker.MaxText)
		}
	}
	out.Parent, out.PullRequests = i.links(a.base)
	var err error
	if out.Done, err = a.isDone(ctx, project, kind, state); err != nil {
		return tracker.Issue{}, err
	}
	if f := want.CriteriaField; f != "" {
		out.Criteria, _ = i.markdownField(f, tracker.MaxText)
		if _, out.CriteriaKnown = i.Fields[f]; !out.CriteriaKnown {
			if out.CriteriaKnown, err = a.hasField(ctx, project, kind, f); err != nil {
				return tracker.Issue{}, err
			}
		}
	}
	if want.Comments {
		if out.Comments, err = a.comments(ctx, project, key); err != nil {
			return tracker.Issue{}, err
		}
	}
	return out, nil
}

var (
	parentForm = regexp.MustCompile(`/workItems/([1-9][0-9]{0,9})$`)
	// pullForm matches the link to a pull request of Azure Repos: project, repository, number.
	pullForm = regexp.MustCompile(`^vstfs:///Git/PullRequestId/([0-9A-Fa-f-]{1,36})%2[Ff]([0-9A-Fa-f-]{1,36})%2[Ff]([1-9][0-9]{0,9})$`)
)

// links returns the linked parent and pull requests.
func (i item) links(base string) (parent string, pulls []string) {
	var number int64
	if json.Unmarshal(i.Fields["System.Parent"], &number) == nil && number > 0 {
		parent = strconv.FormatInt(number, 10)
	}
	for _, r := range i.Relations {
		switch r.Rel {
		case "System.LinkTypes.Hierarchy-Reverse":
			if m := parentForm.FindStringSubmatch(r.URL); m != nil && parent == "" {
				parent = m[1]
			}
		case "Hyperlink":
			pulls = append(pulls, r.URL)
		case "ArtifactLink":
			if m := pullForm.FindStringSubmatch(r.URL); m != nil {
				pulls = append(pulls, base+"/"+m[1]+"/_git/"+m[2]+"/pullrequest/"+m[3])
			}
		}
	}
	return parent, wire.PullRequests(pulls)
}

type comment struct {
	ID                        int64
	Text, Format, CreatedDate string
	IsDeleted                 bool
	CreatedBy                 struct{ ID, DisplayName string }
}

type commentPage struct {
	Comments          []comment
	ContinuationToken string
}

// commentVersion is the API version of comments, which exist only as a preview.
const commentVersion = "7.1-preview.4"

func commentPath(project, key string) string {
	return "/" + url.PathEscape(project) + "/_apis/wit/workItems/" + key + "/comments"
}

// commentPage reads a page of comments, newest first.
func (a *adapter) commentPage(ctx context.Context, project, key, after string, n int) (page commentPage, err error) {
	query := url.Values{"$top": {strconv.Itoa(n)}, "order": {"desc"}, "api-version": {commentVersion}}
	if after != "" {
		query.Set("continuationToken", after)
	}
	return page, a.get(ctx, "list comments", commentPath(project, key), query, &page)
}

func (a *adapter) comments(ctx context.Context, project, key string) ([]tracker.Comment, error) {
	self, err := a.ownAccountID(ctx)
	if err != nil {
		return nil, err
	}
	page, err := a.commentPage(ctx, project, key, "", tracker.MaxComments)
	if err != nil {
		return nil, err
	}
	var out []tracker.Comment
	for _, c := range page.Comments {
		if c.IsDeleted {
			continue
		}
		r := tracker.Comment{ID: strconv.FormatInt(c.ID, 10), Author: wire.Word(c.CreatedBy.DisplayName), Own: c.CreatedBy.ID == self,
			At: wire.Time(c.CreatedDate)}
		if c.Format == "markdown" {
			r.Text, _ = wire.Clean(c.Text, tracker.MaxComment)
		} else {
			r.Text, _ = text.FromHTML(c.Text, tracker.MaxComment)
		}
		out = append(out, r)
	}
	slices.SortStableFunc(out, func(x, y tracker.Comment) int { return x.At.Compare(y.At) })
	return wire.Comments(out), nil
}

// markerParagraph returns the marker for the end of a comment. It is visible, because comments have no properties and
// Azure Boards drops HTML comments.
func markerParagraph(marker string) string { return "<p><code>" + marker + "</code></p>" }

// hasMarker reports whether a comment has the marker, in the format of the tracker.
func (c comment) hasMarker(marker string) bool {
	md, _ := text.FromHTML(c.Text, 2*wire.MaxWritten)
	return strings.Contains(md, "`"+marker+"`") || c.Format == "markdown" && strings.Contains(c.Text, "`"+marker+"`")
}

// FindComment implements [tracker.Writer].
func (a *adapter) FindComment(ctx context.Context, key, marker string) (string, bool, error) {
	const op = "find comment"
	if !keyForm.MatchString(key) {
		return "", false, wire.UnknownIssue(op)
	}
	if err := wire.CheckComment(op, "x", marker); err != nil {
		return "", false, err
	}
	found, err := a.item(ctx, op, key, tracker.Want{})
	if err != nil {
		return "", false, err
	}
	self, err := a.ownAccountID(ctx)
	if err != nil {
		return "", false, err
	}
	after := ""
	for read := 0; read < wire.MaxSearched; {
		page, err := a.commentPage(ctx, found.textField("System.TeamProject"), key, after, 100)
		if err != nil {
			return "", false, err
		}
		for _, c := range page.Comments {
			if c.CreatedBy.ID == self && !c.IsDeleted && c.ID > 0 && c.hasMarker(marker) {
				return strconv.FormatInt(c.ID, 10), true, nil
			}
		}
		read += len(page.Comments)
		if page.ContinuationToken == "" {
			return "", true, nil
		}
		if len(page.Comments) == 0 || page.ContinuationToken == after {
			return "", false, nil
		}
		after = page.ContinuationToken
	}
	return "", false, nil
}

// PutComment implements [tracker.Writer].
func (a *adapter) PutComment(ctx context.Context, key, id, md, marker string) (string, error) {
	const op = "write comment"
	if !keyForm.MatchString(key) || id != "" && !keyForm.MatchString(id) {
		return "", wire.UnknownIssue(op)
	}
	if err := wire.CheckComment(op, md, marker); err != nil {
		return "", err
	}
	body, err := text.ToHTML(md)
	if err != nil {
		return "", &tracker.Error{Class: tracker.ClassInvalid, Op: op, Cause: err}
	}
	found, err := a.item(ctx, op, key, tracker.Want{})
	if err != nil {
		return "", err
	}
	c, path := wire.Call{Op: op, Method: http.MethodPost, Effect: true}, commentPath(found.textField("System.TeamProject"), key)
	if id != "" {
		c.Method, path = http.MethodPatch, path+"/"+id
	}
	var made comment
	if err := a.run(ctx, c, path, url.Values{"api-version": {commentVersion}, "format": {"html"}},
		map[string]string{"text": body + markerParagraph(marker)}, &made); err != nil {
		return "", err
	}
	if made.ID <= 0 {
		return "", &tracker.Error{Class: tracker.ClassAmbiguous, Op: op, Message: "the answer names no comment"}
	}
	return strconv.FormatInt(made.ID, 10), nil
}

// PutLink implements [tracker.Writer] with a hyperlink; a work item has one per address. It writes only to
// the revision that it read, so that two concurrent calls cannot make two links.
func (a *adapter) PutLink(ctx context.Context, key string, link tracker.Link) error {
	const op = "write link"
	if !keyForm.MatchString(key) {
		return wire.UnknownIssue(op)
	}
	if err := wire.CheckLink(op, link); err != nil {
		return err
	}
	found, err := a.item(ctx, op, key, tracker.Want{})
	if err != nil {
		return err
	}
	address := wire.Address(link.URL)
	for _, r := range found.Relations {
		if r.Rel == "Hyperlink" && r.URL == address {
			return nil
		}
	}
	patch := []map[string]any{{"op": "test", "path": "/rev", "value": found.Rev},
		{"op": "add", "path": "/relations/-", "value": map[string]any{"rel": "Hyperlink", "url": address,
			"attributes": map[string]string{"comment": wire.Line(link.Title, 250)}}}}
	c := wire.Call{Op: op, Method: http.MethodPatch, Effect: true, Content: "application/json-patch+json"}
	var made item
	err = a.run(ctx, c, "/_apis/wit/workitems/"+key, url.Values{"api-version": {azure.Version}}, patch, &made)
	if tracker.ClassOf(err) == classLinkExists {
		return nil
	}
	if err == nil && made.ID != found.ID {
		return &tracker.Error{Class: tracker.ClassAmbiguous, Op: op, Message: "the answer names another work item"}
	}
	return err
}
