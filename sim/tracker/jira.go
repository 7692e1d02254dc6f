package tracker

import (
	"cmp"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/sim/host"
	shared "github.com/assay-dev/assay/sim/host/simapi"
	"github.com/assay-dev/assay/sim/tracker/simapi"
)

func jiraSpeaker() speaker {
	return speaker{prefixes: []string{"/rest/"}, serve: (*call).jira, deliver: jiraDelivery, fail: jiraError,
		denied: func(*Server) *reply { return jiraError(http.StatusForbidden, "You do not have permission to do this.") },
		limited: func(_ *Server, f shared.Fault) *reply {
			return jiraError(http.StatusTooManyRequests, "Rate limit exceeded.").Set("Retry-After",
				strconv.Itoa(f.RetrySeconds)).Set("X-RateLimit-NearLimit", "true")
		},
	}
}

func jiraError(status int, message string) *reply {
	return host.JSON(status, obj{"errorMessages": []string{message}, "errors": obj{}})
}

func jiraMissing() *reply {
	return jiraError(http.StatusNotFound, "Issue does not exist or you do not have permission to see it.")
}

func (c *call) isCloud() bool { return c.s.dialect == simapi.JiraCloud }

// jira answers a request in Jira's dialect.
func (c *call) jira() *reply {
	version := "2"
	if c.isCloud() {
		version = "3"
	}
	if c.R.Method == http.MethodGet && strings.HasPrefix(c.Path, "/rest/api/") && strings.HasSuffix(c.Path, "/serverInfo") {
		return ok(obj{"baseUrl": c.s.BaseURL(), "version": "11.3.0",
			"deploymentType": map[bool]string{true: "Cloud", false: "Server"}[c.isCloud()]})
	}
	path, found := strings.CutPrefix(c.Path, "/rest/api/"+version)
	switch {
	case !found:
		return jiraError(http.StatusNotFound, "null for uri: "+c.Path)
	case c.actor == nil:
		return jiraError(http.StatusUnauthorized, "Client must be authenticated to access this resource.")
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	for _, rt := range jiraRoutes {
		if vars, fits := host.Match(host.Segments(rt.pattern), host.Segments(path)); fits && rt.method == c.R.Method &&
			(rt.cloud == 0 || rt.cloud == map[bool]int{true: 1, false: 2}[c.isCloud()]) {
			return rt.serve(c, vars)
		}
	}
	return jiraError(http.StatusNotFound, "null for uri: "+c.Path)
}

type jiraRoute struct {
	method, pattern string
	cloud           int // 1: of Cloud only, 2: of Data Center only
	serve           func(*call, map[string]string) *reply
}

var jiraRoutes = []jiraRoute{
	{"GET", "/myself", 0, func(c *call, _ map[string]string) *reply { return ok(c.jiraUser(c.actor.ID)) }},
	{"GET", "/project", 2, (*call).jiraProjects},
	{"GET", "/project/search", 1, (*call).jiraProjectPage},
	{"GET", "/search", 2, (*call).jiraSearch},
	{"GET", "/search/jql", 1, (*call).jiraSearch},
	{"GET", "/issue/{key}", 0, (*call).jiraIssue},
	{"GET", "/issue/{key}/comment", 0, (*call).jiraComments},
	{"POST", "/issue/{key}/comment", 0, (*call).jiraComment},
	{"PUT", "/issue/{key}/comment/{id}", 0, (*call).jiraEditComment},
	{"GET", "/issue/{key}/remotelink", 0, (*call).jiraLinks},
	{"POST", "/issue/{key}/remotelink", 0, (*call).jiraLink},
}

func (c *call) jiraUser(id string) obj {
	out := obj{"displayName": c.s.nameOf(id), "active": true}
	if c.isCloud() {
		out["accountId"], out["accountType"] = id, "atlassian"
	} else {
		out["key"], out["name"] = id, strings.ToLower(c.s.nameOf(id))
	}
	return out
}

func (c *call) jiraProject(p *project) any { return obj{"id": p.ID, "key": p.Key, "name": p.Name} }

func (c *call) jiraProjects(map[string]string) *reply {
	list := []any{}
	for _, p := range c.s.st.sortedProjects() {
		list = append(list, c.jiraProject(p))
	}
	return ok(list)
}

// window returns the part of a list that startAt and maxResults select.
func window[T any](c *call, list []T, most int) (part []T, from int) {
	q := c.R.URL.Query()
	from, err := strconv.Atoi(q.Get("startAt"))
	if err != nil {
		from = 0
	}
	n, err := strconv.Atoi(q.Get("maxResults"))
	if err != nil || n < 1 || n > most {
		n = most
	}
	from = min(max(from, 0), len(list))
	return list[from:min(from+n, len(list))], from
}

func (c *call) jiraProjectPage(map[string]string) *reply {
	all := c.s.st.sortedProjects()
	part, from := window(c, all, 100)
	values := []any{}
	for _, p := range part {
		values = append(values, c.jiraProject(p))
	}
	return ok(obj{"values": values, "startAt": from, "maxResults": 100, "total": len(all), "isLast": from+len(part) == len(all)})
}

var jqlForm = regexp.MustCompile(`^project = "([^"]+)" ORDER BY updated DESC$`)

func (c *call) jiraSearch(map[string]string) *reply {
	m := jqlForm.FindStringSubmatch(c.R.URL.Query().Get("jql"))
	if m == nil {
		return jiraError(http.StatusBadRequest, "The JQL is not understood.")
	}
	if c.s.st.project(m[1]) == nil {
		return jiraError(http.StatusBadRequest, "The value '"+m[1]+"' does not exist for the field 'project'.")
	}
	part, _ := window(c, c.s.newest(m[1]), 100)
	list := []any{}
	for _, i := range part {
		list = append(list, c.jiraShown(i))
	}
	if c.isCloud() {
		return ok(obj{"issues": list, "isLast": true})
	}
	return ok(obj{"issues": list, "startAt": 0, "maxResults": 100, "total": len(list)})
}

// jiraText returns a text in the form of the interface: a document in Cloud, otherwise wiki text.
func (c *call) jiraText(s string) any {
	switch {
	case s == "":
		return nil
	case c.isCloud() && json.Valid([]byte(s)):
		return json.RawMessage(s)
	}
	return s
}

// jiraTime returns a time in the format of the interface.
func jiraTime(m micros) string { return m.Time().Format("2006-01-02T15:04:05.000-0700") }

func (c *call) jiraShown(i *issue) obj {
	category := obj{"id": 4, "key": "indeterminate", "name": "In Progress"}
	if i.Done {
		category = obj{"id": 3, "key": "done", "name": "Done"}
	}
	all := obj{"summary": i.Title, "description": c.jiraText(i.Text), "issuetype": obj{"id": "1", "name": i.Type, "subtask": false},
		"updated": jiraTime(i.Edited), "created": jiraTime(i.Created),
		"status": obj{"id": "1", "name": i.State, "statusCategory": category}, "project": c.jiraProject(c.s.st.project(i.Project))}
	if p := c.s.find(i.Parent); i.Parent != "" && p != nil {
		all["parent"] = obj{"id": p.ID, "key": c.s.key(p)}
	}
	for id, v := range i.Fields {
		all[id] = c.jiraText(v)
	}
	fields := obj{}
	for id := range strings.SplitSeq(c.R.URL.Query().Get("fields"), ",") {
		if v, there := all[id]; there {
			fields[id] = v
		}
	}
	return obj{"id": i.ID, "key": c.s.key(i), "self": c.s.Base + "/rest/api/x/issue/" + i.ID, "fields": fields}
}

func (c *call) jiraIssue(v map[string]string) *reply {
	i := c.s.visibleIssue(v["key"])
	if i == nil {
		return jiraMissing()
	}
	return ok(c.jiraShown(i))
}

func (c *call) jiraCommentShown(x *comment) obj {
	out := obj{"id": x.ID, "author": c.jiraUser(x.Account), "body": c.jiraText(x.Text), "created": jiraTime(x.Created),
		"updated": jiraTime(cmp.Or(x.Edited, x.Created))}
	if strings.Contains(c.R.URL.Query().Get("expand"), "properties") && !c.s.On(simapi.NoCommentProperties) {
		list := []any{}
		for k, p := range x.Properties {
			list = append(list, obj{"key": k, "value": json.RawMessage(p)})
		}
		out["properties"] = list
	}
	return out
}

func (c *call) jiraComments(v map[string]string) *reply {
	i := c.s.visibleIssue(v["key"])
	if i == nil {
		return jiraMissing()
	}
	all := slices.Clone(i.Comments)
	if c.R.URL.Query().Get("orderBy") == "-created" {
		slices.Reverse(all)
	}
	part, from := window(c, all, 100)
	list := []any{}
	for _, x := range part {
		list = append(list, c.jiraCommentShown(x))
	}
	return ok(obj{"comments": list, "startAt": from, "maxResults": 100, "total": len(all)})
}

// jiraBody reads a new or changed comment.
func (c *call) jiraBody() (text string, properties map[string]string, bad *reply) {
	var in struct {
		Body       json.RawMessage
		Properties []struct {
			Key   string
			Value json.RawMessage
		}
	}
	if !c.decode(&in) {
		return "", nil, jiraError(http.StatusBadRequest, "Invalid request payload.")
	}
	var doc struct {
		Type    string
		Version int
		Content []json.RawMessage
	}
	if c.isCloud() {
		if json.Unmarshal(in.Body, &doc) != nil || doc.Type != "doc" || doc.Version != 1 || len(doc.Content) == 0 {
			return "", nil, host.JSON(http.StatusBadRequest, obj{"errorMessages": []string{},
				"errors": obj{"comment": "Comment body is not valid!"}})
		}
		text = string(in.Body)
	} else if json.Unmarshal(in.Body, &text) != nil || text == "" {
		return "", nil, host.JSON(http.StatusBadRequest, obj{"errorMessages": []string{},
			"errors": obj{"comment": "Comment body can not be empty!"}})
	}
	properties = map[string]string{}
	for _, p := range in.Properties {
		properties[p.Key] = string(p.Value)
	}
	return text, properties, nil
}

func (c *call) jiraComment(v map[string]string) *reply {
	i := c.s.visibleIssue(v["key"])
	if i == nil {
		return jiraMissing()
	}
	text, properties, bad := c.jiraBody()
	if bad != nil {
		return bad
	}
	x := c.s.addComment(i, c.actor.ID, text, properties)
	c.wrote("comment", "create", i)
	return created(c.jiraCommentShown(x))
}

func (c *call) jiraEditComment(v map[string]string) *reply {
	i := c.s.visibleIssue(v["key"])
	if i == nil {
		return jiraMissing()
	}
	x := i.comment(v["id"])
	switch {
	case x == nil:
		return jiraError(http.StatusNotFound, "Can not find a comment for the id: "+v["id"]+".")
	case x.Account != c.actor.ID:
		return jiraError(http.StatusBadRequest, "You do not have the permission to edit this comment.")
	}
	text, properties, bad := c.jiraBody()
	if bad != nil {
		return bad
	}
	x.Text, x.Properties, x.Edited = text, properties, c.s.tick()
	c.s.notifyHooks(issueEvent{what: commentEdited, issue: i, comment: x})
	c.wrote("comment", "update", i)
	return ok(c.jiraCommentShown(x))
}

func linkID(l *link) int64 {
	n, err := strconv.ParseInt(l.ID, 10, 64)
	if err != nil {
		return 0 // ids of this dialect are numbers
	}
	return n
}

func (c *call) jiraLinks(v map[string]string) *reply {
	i := c.s.visibleIssue(v["key"])
	if i == nil {
		return jiraMissing()
	}
	list := []any{}
	for _, l := range i.Links {
		list = append(list, obj{"id": linkID(l), "globalId": l.Given, "object": obj{"url": l.URL, "title": l.Title}})
	}
	return ok(list)
}

func (c *call) jiraLink(v map[string]string) *reply {
	i := c.s.visibleIssue(v["key"])
	if i == nil {
		return jiraMissing()
	}
	var in struct {
		GlobalID string
		Object   struct{ URL, Title string }
	}
	if !c.decode(&in) || in.Object.URL == "" || in.Object.Title == "" || len(in.GlobalID) > 255 {
		return jiraError(http.StatusBadRequest, "The link is not valid.")
	}
	l, fresh := c.s.addLink(i, simapi.Link{ID: in.GlobalID, URL: in.Object.URL, Title: in.Object.Title})
	verb, rep := "update", ok
	if fresh {
		verb, rep = "create", created
	}
	c.wrote("link", verb, i)
	return rep(obj{"id": linkID(l), "self": c.s.Base + "/rest/api/x/issue/" + c.s.key(i) + "/remotelink/" + l.ID})
}

// jiraDelivery returns a webhook's delivery; Server.Mu is held.
func jiraDelivery(s *Server, h *hook, x issueEvent) (map[string]string, []byte) {
	event := []string{"jira:issue_created", "jira:issue_updated", "jira:issue_deleted", "comment_created", "comment_updated"}[x.what]
	body := obj{"timestamp": s.Now().UnixMilli(), "webhookEvent": event,
		"issue": obj{"id": x.issue.ID, "key": s.key(x.issue), "fields": obj{"summary": x.issue.Title, "project": obj{"key": x.issue.Project}}}}
	if x.comment != nil {
		body["comment"] = obj{"id": x.comment.ID, "body": x.comment.Text}
	}
	raw := host.Encode(body)
	headers := map[string]string{"Content-Type": "application/json; charset=UTF-8", "X-Atlassian-Webhook-Identifier": host.NewGUID(),
		"User-Agent": "Atlassian Webhook HTTP Client"}
	if h.Secret != "" {
		headers["X-Hub-Signature"] = "sha256=" + sign(h.Secret, raw)
	}
	return headers, raw
}
