package jira

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/tracker"
	"github.com/assay-dev/assay/internal/tracker/wire"
)

// issue holds the parts of an issue that we read. Fields of an administrator are found by their id.
type issue struct {
	ID, Key string
	Fields  map[string]json.RawMessage
}

// fields are the fields requested for every issue.
var fields = []string{"summary", "description", "issuetype", "status", "project", "parent", "updated"}

// requestedFields returns the checked list of fields to request.
func requestedFields(op string, want tracker.Want) (string, error) {
	list := fields
	if want.CriteriaField != "" {
		if !fieldForm.MatchString(want.CriteriaField) {
			return "", &tracker.Error{Class: tracker.ClassInvalid, Op: op,
				Message: "an id of a field has letters, digits and _ only, such as customfield_10042"}
		}
		list = append(slices.Clone(list), want.CriteriaField)
	}
	return strings.Join(list, ","), nil
}

// Issue implements [tracker.Reader].
func (a *adapter) Issue(ctx context.Context, key string, want tracker.Want) (tracker.Issue, error) {
	const op = "read issue"
	if !keyForm.MatchString(key) {
		return tracker.Issue{}, wire.UnknownIssue(op)
	}
	list, err := requestedFields(op, want)
	if err != nil {
		return tracker.Issue{}, err
	}
	var found issue
	if err := a.get(ctx, op, "/issue/"+key, url.Values{"fields": {list}}, &found); err != nil {
		return tracker.Issue{}, err
	}
	return a.convertIssue(ctx, found, want)
}

// Newest implements [tracker.Reader].
func (a *adapter) Newest(ctx context.Context, project string, n int, want tracker.Want) ([]tracker.Issue, error) {
	const op = "list issues"
	if !projectForm.MatchString(project) {
		return nil, wire.UnknownIssue(op)
	}
	list, err := requestedFields(op, want)
	if err != nil {
		return nil, err
	}
	lang, err := a.dialectOf(ctx)
	if err != nil {
		return nil, err
	}
	var page struct{ Issues []issue }
	query := url.Values{"jql": {`project = "` + project + `" ORDER BY updated DESC`}, "maxResults": {strconv.Itoa(min(max(n, 1), 20))},
		"fields": {list}}
	if err := a.get(ctx, op, lang.search, query, &page); err != nil {
		return nil, err
	}
	out := []tracker.Issue{}
	for _, found := range page.Issues[:min(len(page.Issues), 20)] {
		i, err := a.convertIssue(ctx, found, want)
		if err != nil {
			return nil, err
		}
		out = append(out, i)
	}
	return out, nil
}

// convertIssue converts an issue, and requests its further parts.
func (a *adapter) convertIssue(ctx context.Context, found issue, want tracker.Want) (tracker.Issue, error) {
	lang, err := a.dialectOf(ctx)
	if err != nil {
		return tracker.Issue{}, err
	}
	if !keyForm.MatchString(found.Key) {
		return tracker.Issue{}, &tracker.Error{Class: tracker.ClassUnavailable, Op: "read issue", Message: "the answer names no issue"}
	}
	out := found.convert(lang, want)
	out.URL = wire.Address(a.base + "/browse/" + found.Key)
	if want.Links {
		out.PullRequests = a.linkedPulls(ctx, found.Key)
	}
	if want.Comments {
		if out.Comments, err = a.comments(ctx, lang, found.Key); err != nil {
			return tracker.Issue{}, err
		}
	}
	return out, nil
}

func (i issue) convert(lang *dialect, want tracker.Want) tracker.Issue {
	out := tracker.Issue{Key: i.Key, ID: wire.Word(i.ID)}
	var name struct{ Name string }
	var status struct {
		Name           string
		StatusCategory struct{ Key string }
	}
	var in project
	var parent struct{ Key string }
	var title, updated string
	// Hidden fields and fields of another form are omitted.
	for id, into := range map[string]any{"summary": &title, "issuetype": &name, "status": &status, "project": &in, "parent": &parent,
		"updated": &updated} {
		if json.Unmarshal(i.Fields[id], into) != nil {
			continue
		}
	}
	out.Title, out.Type, out.State, out.Project, out.UpdatedAt = wire.Title(title), wire.Word(name.Name), wire.Word(status.Name),
		wire.Word(in.Key), wire.Time(updated, timeForm)
	out.Done = status.StatusCategory.Key == "done"
	if keyForm.MatchString(parent.Key) {
		out.Parent = parent.Key
	}
	out.Description, out.Cut = lang.read(i.Fields["description"], tracker.MaxText)
	if raw, there := i.Fields[want.CriteriaField]; there && want.CriteriaField != "" {
		out.CriteriaKnown = true
		out.Criteria, _ = lang.read(raw, tracker.MaxText)
	}
	return out
}

// linkedPulls returns the pull requests in an issue's remote links. The API has no pages for them. It returns
// nil on errors, because a site without issue linking refuses the list.
func (a *adapter) linkedPulls(ctx context.Context, key string) []string {
	var list []struct{ Object struct{ URL string } }
	if err := a.get(ctx, "list links", "/issue/"+key+"/remotelink", nil, &list); err != nil {
		return nil
	}
	var out []string
	for _, l := range list {
		out = append(out, l.Object.URL)
	}
	return wire.PullRequests(out)
}

type comment struct {
	ID, Created string
	Author      person
	Body        json.RawMessage
	Properties  []struct {
		Key   string
		Value json.RawMessage
	}
}

type commentPage struct {
	Comments []comment
	Total    int
}

// comments returns the newest comments, oldest first.
func (a *adapter) comments(ctx context.Context, lang *dialect, key string) ([]tracker.Comment, error) {
	self, err := a.ownAccountID(ctx)
	if err != nil {
		return nil, err
	}
	page, err := a.commentPage(ctx, key, 0, tracker.MaxComments)
	if err != nil {
		return nil, err
	}
	var out []tracker.Comment
	for _, c := range page.Comments {
		r := tracker.Comment{ID: wire.Word(c.ID), Author: wire.Word(c.Author.DisplayName), Own: c.Author.id() == self,
			At: wire.Time(c.Created, timeForm)}
		r.Text, _ = lang.read(c.Body, tracker.MaxComment)
		out = append(out, r)
	}
	slices.SortStableFunc(out, func(x, y tracker.Comment) int { return x.At.Compare(y.At) })
	return wire.Comments(out), nil
}

// commentPage reads a page of comments, newest first, with their properties.
func (a *adapter) commentPage(ctx context.Context, key string, from, n int) (page commentPage, err error) {
	query := url.Values{"startAt": {strconv.Itoa(from)}, "maxResults": {strconv.Itoa(n)}, "orderBy": {"-created"}, "expand": {"properties"}}
	return page, a.get(ctx, "list comments", "/issue/"+key+"/comment", query, &page)
}

// markerProperty is the property of a comment with its marker.
const markerProperty = "assay.marker"

type marked struct {
	Marker string `json:"marker"`
}

// hasMarker reports whether a comment has the marker, in its property or below its text.
func (c comment) hasMarker(lang *dialect, marker string) bool {
	for _, p := range c.Properties {
		var m marked
		if p.Key == markerProperty && json.Unmarshal(p.Value, &m) == nil && m.Marker == marker {
			return true
		}
	}
	var s string
	return lang.footed && json.Unmarshal(c.Body, &s) == nil && strings.Contains(s, "{{"+marker+"}}")
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
	lang, err := a.dialectOf(ctx)
	if err != nil {
		return "", false, err
	}
	self, err := a.ownAccountID(ctx)
	if err != nil {
		return "", false, err
	}
	read := 0
	for read < wire.MaxSearched {
		page, err := a.commentPage(ctx, key, read, 100)
		if err != nil {
			return "", false, err
		}
		for _, c := range page.Comments {
			if c.Author.id() == self && c.hasMarker(lang, marker) && idForm.MatchString(c.ID) {
				return c.ID, true, nil
			}
		}
		read += len(page.Comments)
		if len(page.Comments) == 0 || read >= page.Total {
			return "", read >= page.Total, nil
		}
	}
	return "", false, nil
}

// PutComment implements [tracker.Writer].
func (a *adapter) PutComment(ctx context.Context, key, id, md, marker string) (string, error) {
	const op = "write comment"
	if !keyForm.MatchString(key) || id != "" && !idForm.MatchString(id) {
		return "", wire.UnknownIssue(op)
	}
	if err := wire.CheckComment(op, md, marker); err != nil {
		return "", err
	}
	lang, err := a.dialectOf(ctx)
	if err != nil {
		return "", err
	}
	foot := ""
	if lang.footed {
		foot = marker
	}
	body, err := lang.write(md, foot)
	if err != nil {
		return "", &tracker.Error{Class: tracker.ClassInvalid, Op: op, Cause: err}
	}
	c, path := wire.Call{Op: op, Method: http.MethodPost, Effect: true}, "/issue/"+key+"/comment"
	if id != "" {
		c.Method, path = http.MethodPut, path+"/"+id
	}
	in := map[string]any{"body": body, "properties": []map[string]any{{"key": markerProperty, "value": marked{marker}}}}
	var made struct{ ID string }
	if err := a.run(ctx, c, path, nil, in, &made); err != nil {
		return "", err
	}
	if !idForm.MatchString(made.ID) {
		return "", &tracker.Error{Class: tracker.ClassAmbiguous, Op: op, Message: "the answer names no comment"}
	}
	return made.ID, nil
}

// PutLink implements [tracker.Writer] with a remote link. An issue has one per globalId.
func (a *adapter) PutLink(ctx context.Context, key string, link tracker.Link) error {
	const op = "write link"
	if !keyForm.MatchString(key) {
		return wire.UnknownIssue(op)
	}
	if err := wire.CheckLink(op, link); err != nil {
		return err
	}
	in := map[string]any{"globalId": link.ID, "relationship": "pull request",
		"object": map[string]any{"url": wire.Address(link.URL), "title": wire.Line(link.Title, 255)}}
	var made struct{ ID int64 }
	if err := a.run(ctx, wire.Call{Op: op, Method: http.MethodPost, Effect: true}, "/issue/"+key+"/remotelink", nil, in, &made); err != nil {
		return err
	}
	if made.ID <= 0 {
		return &tracker.Error{Class: tracker.ClassAmbiguous, Op: op, Message: "the answer names no link"}
	}
	return nil
}
