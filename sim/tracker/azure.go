package tracker

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/sim/host"
	shared "github.com/assay-dev/assay/sim/host/simapi"
	"github.com/assay-dev/assay/sim/tracker/simapi"
)

func azureSpeaker() speaker {
	return speaker{prefixes: []string{"/_apis/"}, serve: (*call).azure, deliver: azureDelivery,
		fail:   func(status int, message string) *reply { return azureError(status, message, "Exception") },
		denied: func(*Server) *reply { return azureDenied() },
		limited: func(_ *Server, f shared.Fault) *reply {
			return azureError(http.StatusTooManyRequests, "TF400733: The request has been canceled: Request was blocked due to exceeding "+
				"usage of resource.", "RequestBlockedException").
				Set("Retry-After", strconv.Itoa(f.RetrySeconds)).Set("X-RateLimit-Resource", "Sim/Requests").Set("X-RateLimit-Remaining", "0")
		},
	}
}

// azureError returns an error in the format of the interface (WrappedException).
func azureError(status int, message, key string) *reply {
	return host.JSON(status, obj{"$id": "1", "innerException": nil, "message": message, "typeName": "Microsoft." + key + ", Microsoft",
		"typeKey": key, "errorCode": 0, "eventId": 3000})
}

func azureDenied() *reply {
	return azureError(http.StatusForbidden, "VS403: The user does not have permission to do this.", "AccessDeniedException")
}

func azureMissing(key string) *reply {
	return azureError(http.StatusNotFound, "TF401232: Work item "+key+" does not exist, or you do not have permissions to read it.",
		"WorkItemUnauthorizedAccessException")
}

type azureRoute struct {
	method, pattern, version string
	serve                    func(*call, map[string]string) *reply
}

const azureComments = "/{project}/_apis/wit/workItems/{id}/comments"

var azureRoutes = []azureRoute{
	{"GET", "/_apis/connectionData", "7.1-preview", (*call).azureConnection},
	{"GET", "/_apis/projects", "7.1", (*call).azureProjects},
	{"GET", "/_apis/wit/workitems/{id}", "7.1", (*call).azureItem},
	{"PATCH", "/_apis/wit/workitems/{id}", "7.1", (*call).azurePatch},
	{"GET", "/_apis/wit/workitems", "7.1", (*call).azureItems},
	{"POST", "/{project}/_apis/wit/wiql", "7.1", (*call).azureQuery},
	{"GET", "/{project}/_apis/wit/workitemtypes/{type}/states", "7.1", (*call).azureStates},
	{"GET", "/{project}/_apis/wit/workitemtypes/{type}/fields/{field}", "7.1", (*call).azureField},
	{"GET", azureComments, "7.1-preview.4", (*call).azureListComments},
	{"POST", azureComments, "7.1-preview.4", (*call).azureComment},
	{"PATCH", azureComments + "/{comment}", "7.1-preview.4", (*call).azureEditComment},
}

// azure answers a request in Azure Boards' dialect.
func (c *call) azure() *reply {
	if c.actor == nil {
		status := http.StatusUnauthorized
		if c.s.Has(simapi.SignInIsPage) {
			status = http.StatusNonAuthoritativeInfo
		}
		return (&reply{Status: status, Body: []byte("<!doctype html><title>Sign in</title>")}).Set("Content-Type", "text/html; charset=utf-8")
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	for _, rt := range azureRoutes {
		vars, fits := host.Match(host.Segments(rt.pattern), host.Segments(c.Path))
		if !fits || rt.method != c.R.Method {
			continue
		}
		if v := c.R.URL.Query().Get("api-version"); v != rt.version {
			return azureError(http.StatusBadRequest, "The requested REST API version of "+strconv.Quote(v)+
				" is out of range for this server.", "VssVersionOutOfRangeException")
		}
		if name, there := vars["project"]; there && c.s.st.project(name) == nil {
			return azureError(http.StatusNotFound, "TF200016: The following project does not exist: "+name+".",
				"ProjectDoesNotExistWithNameException")
		}
		return rt.serve(c, vars)
	}
	return azureError(http.StatusNotFound, "The resource cannot be found.", "HttpException")
}

func (c *call) azureConnection(map[string]string) *reply {
	me := obj{"id": c.actor.ID, "providerDisplayName": c.actor.Name, "isActive": true}
	return ok(obj{"authenticatedUser": me, "authorizedUser": me, "deploymentType": "hosted"})
}

// number returns a number of the query, or otherwise if it is absent or invalid.
func (c *call) number(name string, otherwise int) int {
	n, err := strconv.Atoi(c.R.URL.Query().Get(name))
	if err != nil || n < 0 {
		return otherwise
	}
	return n
}

func (c *call) azureProjects(map[string]string) *reply {
	all := c.s.st.sortedProjects()
	from := min(c.number("$skip", 0), len(all))
	value := []any{}
	for _, p := range all[from:min(from+c.number("$top", 100), len(all))] {
		value = append(value, obj{"id": p.ID, "name": p.Key, "state": "wellFormed", "visibility": "private"})
	}
	return ok(obj{"count": len(value), "value": value})
}

func (c *call) azureShown(i *issue) obj {
	n, _ := strconv.ParseInt(i.ID, 10, 64) // ids of this dialect are numbers
	fields := obj{"System.TeamProject": i.Project, "System.WorkItemType": i.Type, "System.State": i.State, "System.Title": i.Title,
		"System.ChangedDate": stamp(i.Edited), "System.CreatedDate": stamp(i.Created)}
	if i.Text != "" {
		fields["System.Description"] = i.Text
	}
	for name, v := range i.Fields {
		if v != "" { // omit empty fields
			fields[name] = v
		}
	}
	out := obj{"id": n, "rev": i.Rev, "fields": fields, "url": c.s.Base + "/_apis/wit/workItems/" + i.ID}
	if c.R.URL.Query().Get("$expand") != "relations" {
		return out
	}
	relations := []any{}
	if p := c.s.find(i.Parent); i.Parent != "" && p != nil {
		fields["System.Parent"], _ = strconv.Atoi(p.ID)
		relations = append(relations, obj{"rel": "System.LinkTypes.Hierarchy-Reverse", "url": c.s.Base + "/_apis/wit/workItems/" + p.ID,
			"attributes": obj{"name": "Parent"}})
	}
	for _, l := range i.Links {
		kind := "Hyperlink"
		if strings.HasPrefix(l.URL, "vstfs:") {
			kind = "ArtifactLink"
		}
		relations = append(relations, obj{"rel": kind, "url": l.URL, "attributes": obj{"comment": l.Title}})
	}
	if len(relations) > 0 {
		out["relations"] = relations
	}
	return out
}

func (c *call) azureItem(v map[string]string) *reply {
	i := c.s.visibleIssue(v["id"])
	if i == nil {
		return azureMissing(v["id"])
	}
	return ok(c.azureShown(i))
}

func (c *call) azureItems(map[string]string) *reply {
	value := []any{}
	for id := range strings.SplitSeq(c.R.URL.Query().Get("ids"), ",") {
		if i := c.s.visibleIssue(id); i != nil {
			value = append(value, c.azureShown(i))
			continue
		}
		if c.R.URL.Query().Get("errorPolicy") != "omit" {
			return azureMissing(id)
		}
		value = append(value, nil)
	}
	slices.Reverse(value) // the order of the answer is not guaranteed
	return ok(obj{"count": len(value), "value": value})
}

// azurePatch changes links of a work item by JSON Patch (RFC 6902).
func (c *call) azurePatch(v map[string]string) *reply {
	i := c.s.visibleIssue(v["id"])
	if i == nil {
		return azureMissing(v["id"])
	}
	var in []struct {
		Op, Path string
		Value    json.RawMessage
	}
	if c.R.Header.Get("Content-Type") != "application/json-patch+json" || !c.decode(&in) {
		return azureError(http.StatusUnsupportedMediaType, "The request indicated a Content-Type for which no media-type formatter "+
			"is available.", "VssRequestContentTypeNotSupportedException")
	}
	for _, p := range in {
		var rev int
		var link struct {
			Rel, URL   string
			Attributes struct{ Comment string }
		}
		switch {
		case p.Op == "test" && p.Path == "/rev" && json.Unmarshal(p.Value, &rev) == nil:
			if rev != i.Rev {
				return azureError(http.StatusPreconditionFailed, "VS403: The work item was changed by somebody else.", "RuleValidationException")
			}
		case p.Op == "add" && p.Path == "/relations/-" && json.Unmarshal(p.Value, &link) == nil && link.URL != "":
			if i.linkTo("", link.URL) != nil {
				return azureError(http.StatusBadRequest, "VS402625: Relation already exists.", "WorkItemLinkInvalidException")
			}
			c.s.addLink(i, simapi.Link{URL: link.URL, Title: link.Attributes.Comment})
			c.wrote("link", "create", i)
		default:
			return azureError(http.StatusBadRequest, "VS402: The patch is not understood: "+p.Op+" "+p.Path, "VssPropertyValidationException")
		}
	}
	return ok(c.azureShown(i))
}

func (c *call) azureQuery(v map[string]string) *reply {
	var in struct{ Query string }
	if !c.decode(&in) || !strings.Contains(in.Query, "[System.TeamProject] = @project ORDER BY [System.ChangedDate] DESC") {
		return azureError(http.StatusBadRequest, "TF51006: The query statement is missing a FROM clause.", "SyntaxException")
	}
	list := []any{}
	for _, i := range c.s.newest(v["project"]) {
		if len(list) < c.number("$top", 200) {
			n, _ := strconv.Atoi(i.ID) // ids of this dialect are numbers
			list = append(list, obj{"id": n, "url": c.s.Base + "/_apis/wit/workItems/" + i.ID})
		}
	}
	return ok(obj{"queryType": "flat", "asOf": stamp(c.s.NowMicros()), "workItems": list})
}

func (c *call) azureStates(v map[string]string) *reply {
	seen, value := map[string]bool{}, []any{}
	for _, i := range c.s.st.Issues {
		if i.Project == v["project"] && i.Type == v["type"] && !seen[i.State] {
			seen[i.State] = true
			value = append(value, obj{"name": i.State, "color": "b2b2b2",
				"category": map[bool]string{true: "Completed", false: "InProgress"}[i.Done]})
		}
	}
	return ok(obj{"count": len(value), "value": value})
}

// azureField answers for the fields that any work item of the type has, also empty ones.
func (c *call) azureField(v map[string]string) *reply {
	for _, i := range c.s.st.Issues {
		if _, there := i.Fields[v["field"]]; there && i.Type == v["type"] {
			return ok(obj{"referenceName": v["field"], "name": v["field"], "alwaysRequired": false})
		}
	}
	return azureError(http.StatusNotFound, "TF51535: Cannot find field "+v["field"]+".", "FieldNotFoundException")
}

func (c *call) azureCommentShown(i *issue, x *comment) obj {
	n, _ := strconv.Atoi(x.ID)    // ids of this dialect are numbers
	item, _ := strconv.Atoi(i.ID) // as well
	out := obj{"id": n, "workItemId": item, "version": 1, "text": x.Text, "format": "html",
		"createdBy": obj{"id": x.Account, "displayName": c.s.nameOf(x.Account)}, "createdDate": stamp(x.Created)}
	if x.Edited != 0 {
		out["version"], out["modifiedDate"] = 2, stamp(x.Edited)
	}
	return out
}

func (c *call) azureListComments(v map[string]string) *reply {
	i := c.s.visibleIssue(v["id"])
	if i == nil {
		return azureMissing(v["id"])
	}
	all := slices.Clone(i.Comments)
	if c.R.URL.Query().Get("order") != "asc" {
		slices.Reverse(all)
	}
	from := min(c.number("continuationToken", 0), len(all))
	end := min(from+min(c.number("$top", 200), 200), len(all))
	list := []any{}
	for _, x := range all[from:end] {
		list = append(list, c.azureCommentShown(i, x))
	}
	out := obj{"totalCount": len(all), "count": len(list), "comments": list}
	if end < len(all) {
		out["continuationToken"] = strconv.Itoa(end)
	}
	return ok(out)
}

// azureText reads the text of a new or changed comment.
func (c *call) azureText() (string, *reply) {
	var in struct{ Text string }
	if !c.decode(&in) || strings.TrimSpace(in.Text) == "" {
		return "", azureError(http.StatusBadRequest, "VS403: The comment text is empty.", "VssPropertyValidationException")
	}
	return in.Text, nil
}

func (c *call) azureComment(v map[string]string) *reply {
	i := c.s.visibleIssue(v["id"])
	if i == nil {
		return azureMissing(v["id"])
	}
	text, bad := c.azureText()
	if bad != nil {
		return bad
	}
	x := c.s.addComment(i, c.actor.ID, text, nil)
	c.wrote("comment", "create", i)
	return ok(c.azureCommentShown(i, x))
}

func (c *call) azureEditComment(v map[string]string) *reply {
	i := c.s.visibleIssue(v["id"])
	if i == nil {
		return azureMissing(v["id"])
	}
	x := i.comment(v["comment"])
	switch {
	case x == nil:
		return azureError(http.StatusNotFound, "VS403: Comment "+v["comment"]+" does not exist.", "WorkItemCommentNotFoundException")
	case x.Account != c.actor.ID:
		return azureDenied()
	}
	text, bad := c.azureText()
	if bad != nil {
		return bad
	}
	x.Text, x.Edited = text, c.s.tick()
	c.s.notifyHooks(issueEvent{what: commentEdited, issue: i, comment: x})
	c.wrote("comment", "update", i)
	return ok(c.azureCommentShown(i, x))
}

// azureDelivery returns a service hook's delivery (learn.microsoft.com/azure/devops/service-hooks/events);
// Server.Mu is held.
func azureDelivery(s *Server, h *hook, x issueEvent) (map[string]string, []byte) {
	n, _ := strconv.Atoi(x.issue.ID) // ids of this dialect are numbers
	fields := obj{"System.TeamProject": x.issue.Project, "System.WorkItemType": x.issue.Type, "System.State": x.issue.State,
		"System.Title": x.issue.Title}
	resource := obj{"id": n, "rev": x.issue.Rev, "fields": fields}
	event := []string{"workitem.created", "workitem.updated", "workitem.deleted", "workitem.commented", "workitem.commented"}[x.what]
	if x.what == issueEdited {
		resource = obj{"id": x.issue.Rev, "workItemId": n, "rev": x.issue.Rev,
			"fields":   obj{"System.Title": obj{"oldValue": "", "newValue": x.issue.Title}},
			"revision": obj{"id": n, "rev": x.issue.Rev, "fields": fields}}
	}
	body := host.Encode(obj{"subscriptionId": host.NewGUID(), "notificationId": s.st.ID("notification"), "id": host.NewGUID(),
		"eventType": event, "publisherId": "tfs",
		"message": obj{"text": fmt.Sprintf("%s #%d", event, n)}, "resource": resource, "resourceVersion": "1.0",
		"createdDate": stamp(s.NowMicros())})
	headers := map[string]string{"Content-Type": "application/json; charset=utf-8"}
	if h.Password != "" {
		headers["Authorization"] = basic(h.User, h.Password)
	}
	if h.Header != "" {
		headers[h.Header] = h.Value
	}
	return headers, body
}

func basic(user, password string) string {
	r := http.Request{Header: http.Header{}}
	r.SetBasicAuth(user, password)
	return r.Header.Get("Authorization")
}
