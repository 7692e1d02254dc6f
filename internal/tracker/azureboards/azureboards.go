// Package azureboards is the adapter to Azure Boards with a personal access token or an access token of
// Microsoft Entra. It covers work items with texts in HTML or Markdown, their comments and links, and
// service hooks.
//
// Facts about the wire are from the description of work item tracking 7.1
// (MicrosoftDocs/vsts-rest-api-specs, specification/wit) and from
// learn.microsoft.com/rest/api/azure/devops/wit. The key of an issue is the number of its work item, and
// the key of a project is its name.
package azureboards

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/assay-dev/assay/internal/azure"
	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/tracker"
	"github.com/assay-dev/assay/internal/tracker/wire"
)

var (
	keyForm = regexp.MustCompile(`^[1-9][0-9]{0,9}$`)
	// projectForm matches names of projects (learn.microsoft.com, "Naming restrictions and conventions",
	// project names).
	projectForm = regexp.MustCompile(`^[^\x00-\x1f\\/:*?"<>|;#$*{},+=\[\]]{1,64}$`)
	fieldForm   = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,63}(\.[A-Za-z0-9_]{1,64}){1,5}$`)
)

// maxStates is the most types of work items whose states are cached.
const maxStates = 200

type adapter struct {
	send *wire.Sender
	base string // address of the organisation or collection

	mu   sync.Mutex
	self string              // our account; "" while it is unknown
	done map[string][]string // states that count as done, by project and type
}

// New checks the configuration and returns a Tracker. It sends nothing.
func New(cfg tracker.Config) (tracker.Tracker, error) {
	if cfg.Client == nil || cfg.Token == nil {
		return nil, errors.New("azureboards: Client and Token are needed")
	}
	base, err := wire.Base(cfg.BaseURL)
	if err != nil {
		return nil, errors.New("azureboards: " + err.Error())
	}
	value := azure.Basic
	if cfg.Bearer {
		value = func(s secret.Secret) string { return "Bearer " + s.Reveal() }
	}
	return &adapter{send: wire.NewSender(cfg.Client, wire.Token(cfg, value), judge), base: base.String(), done: map[string][]string{}}, nil
}

// judge implements [wire.Judge].
func judge(c wire.Call, a wire.Answer, err *tracker.Error) *tracker.Error {
	if azure.SignIn(a.Status, a.Header) {
		e := &tracker.Error{Class: tracker.ClassForbidden, Op: c.Op, Status: a.Status, RequestID: wire.RequestID(a.Header),
			Message: "the token is refused"}
		return e
	}
	if err == nil || wire.IsPage(a) || a.Status < 400 {
		return err
	}
	r := azure.ReadRefusal(a.Body)
	if r.Message != "" {
		err.Message = wire.ErrorText(r.Message)
	}
	switch {
	case a.Status == http.StatusPreconditionFailed, a.Status == http.StatusConflict: // another write came first: nothing was written
		err.Class = tracker.ClassUnavailable
	case strings.Contains(r.TypeKey, "RelationAlreadyExists"), strings.Contains(r.Message, "Relation already exists"):
		err.Class = classLinkExists
	}
	return err
}

// classLinkExists is the class of an error for an existing link. Only this package uses it.
const classLinkExists tracker.Class = "already"

// get reads a path below the organisation.
func (a *adapter) get(ctx context.Context, op, path string, query url.Values, out any) error {
	return a.run(ctx, wire.Call{Op: op, Method: http.MethodGet}, path, query, nil, out)
}

func (a *adapter) run(ctx context.Context, c wire.Call, path string, query url.Values, in, out any) error {
	if query == nil {
		query = url.Values{}
	}
	if query.Get("api-version") == "" {
		query.Set("api-version", azure.Version)
	}
	c.URL = a.base + path + "?" + query.Encode()
	return a.send.JSON(ctx, c, in, out)
}

// OwnAccount implements [tracker.Reader].
func (a *adapter) OwnAccount(ctx context.Context) (tracker.Account, error) {
	var out struct {
		AuthenticatedUser struct{ ID, ProviderDisplayName, CustomDisplayName string }
	}
	if err := a.get(ctx, "who am I", "/_apis/connectionData", url.Values{"api-version": {azure.PreviewVersion}}, &out); err != nil {
		return tracker.Account{}, err
	}
	me := out.AuthenticatedUser
	if me.ID == "" {
		return tracker.Account{}, &tracker.Error{Class: tracker.ClassForbidden, Op: "who am I", Message: "the answer names no account"}
	}
	name := me.CustomDisplayName
	if name == "" {
		name = me.ProviderDisplayName
	}
	a.mu.Lock()
	a.self = me.ID
	a.mu.Unlock()
	return tracker.Account{ID: wire.Word(me.ID), Name: wire.Word(name)}, nil
}

// ownAccountID returns our account. It asks the tracker once.
func (a *adapter) ownAccountID(ctx context.Context) (string, error) {
	a.mu.Lock()
	self := a.self
	a.mu.Unlock()
	if self == "" {
		if _, err := a.OwnAccount(ctx); err != nil {
			return "", err
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.self, nil
}

// Projects implements [tracker.Reader].
func (a *adapter) Projects(ctx context.Context) ([]tracker.Project, error) {
	const op = "list projects"
	type named struct{ Name string }
	read := 0
	return wire.Projects(ctx, op, func(ctx context.Context, _ int) ([]named, bool, error) {
		var page struct{ Value []named }
		query := url.Values{"$top": {"100"}, "$skip": {strconv.Itoa(read)}, "stateFilter": {"wellFormed"}}
		err := a.get(ctx, op, "/_apis/projects", query, &page)
		read += len(page.Value)
		return page.Value, len(page.Value) == 100, err
	}, func(p named) (tracker.Project, bool) {
		return tracker.Project{Key: p.Name, Name: wire.Word(p.Name)}, projectForm.MatchString(p.Name)
	})
}

// Issue implements [tracker.Reader].
func (a *adapter) Issue(ctx context.Context, key string, want tracker.Want) (tracker.Issue, error) {
	const op = "read work item"
	found, err := a.item(ctx, op, key, want)
	if err != nil {
		return tracker.Issue{}, err
	}
	return a.convertItem(ctx, found, want)
}

// item reads a work item with its links.
func (a *adapter) item(ctx context.Context, op, key string, want tracker.Want) (item, error) {
	if !keyForm.MatchString(key) {
		return item{}, wire.UnknownIssue(op)
	}
	if err := checkField(op, want); err != nil {
		return item{}, err
	}
	var found item
	if err := a.get(ctx, op, "/_apis/wit/workitems/"+key, url.Values{"$expand": {"relations"}}, &found); err != nil {
		return item{}, err
	}
	if strconv.FormatInt(found.ID, 10) != key {
		return item{}, &tracker.Error{Class: tracker.ClassUnavailable, Op: op, Message: "the answer names another work item"}
	}
	return found, nil
}

func checkField(op string, want tracker.Want) error {
	if want.CriteriaField != "" && !fieldForm.MatchString(want.CriteriaField) {
		return &tracker.Error{Class: tracker.ClassInvalid, Op: op, Message: "a field is known by its reference name, such as " +
			"Microsoft.VSTS.Common.AcceptanceCriteria"}
	}
	return nil
}

// newestQuery selects the work items of a project, the most recently changed ones first.
const newestQuery = "SELECT [System.Id] FROM WorkItems WHERE [System.TeamProject] = @project ORDER BY [System.ChangedDate] DESC"

// Newest implements [tracker.Reader].
func (a *adapter) Newest(ctx context.Context, project string, n int, want tracker.Want) ([]tracker.Issue, error) {
	const op = "list work items"
	if !projectForm.MatchString(project) {
		return nil, wire.UnknownIssue(op)
	}
	if err := checkField(op, want); err != nil {
		return nil, err
	}
	var ids struct{ WorkItems []struct{ ID int64 } }
	query := url.Values{"$top": {strconv.Itoa(min(max(n, 1), 20))}}
	if err := a.run(ctx, wire.Call{Op: op, Method: http.MethodPost}, "/"+url.PathEscape(project)+"/_apis/wit/wiql", query,
		map[string]string{"query": newestQuery}, &ids); err != nil {
		return nil, err
	}
	var list []string
	for _, w := range ids.WorkItems[:min(len(ids.WorkItems), 20)] {
		list = append(list, strconv.FormatInt(w.ID, 10))
	}
	out := []tracker.Issue{}
	if len(list) == 0 {
		return out, nil
	}
	var page struct{ Value []*item } // null for a missing item, because of errorPolicy
	if err := a.get(ctx, op, "/_apis/wit/workitems", url.Values{"ids": {strings.Join(list, ",")}, "$expand": {"relations"},
		"errorPolicy": {"omit"}}, &page); err != nil {
		return nil, err
	}
	for _, id := range list { // the answer may have another order than the request
		at := slices.IndexFunc(page.Value, func(i *item) bool { return i != nil && strconv.FormatInt(i.ID, 10) == id })
		if at < 0 {
			continue
		}
		i, err := a.convertItem(ctx, *page.Value[at], want)
		if err != nil {
			return nil, err
		}
		out = append(out, i)
	}
	return out, nil
}

// LinkedTo implements [tracker.Reader]. It returns nil, because Azure Boards cannot search for hyperlinks.
func (a *adapter) LinkedTo(context.Context, string) ([]string, error) { return nil, nil }

// isDone reports whether a state of a type counts as done. It asks once per type.
func (a *adapter) isDone(ctx context.Context, project, kind, state string) (bool, error) {
	key := project + "\x00" + kind
	a.mu.Lock()
	known, found := a.done[key]
	a.mu.Unlock()
	if !found {
		var list struct {
			Value []struct{ Name, Category string }
		}
		err := a.get(ctx, "list states", "/"+url.PathEscape(project)+"/_apis/wit/workitemtypes/"+url.PathEscape(kind)+"/states", nil, &list)
		if err != nil && tracker.ClassOf(err) != tracker.ClassNotFound { // the type may be gone
			return false, err
		}
		for _, s := range list.Value {
			if s.Category == "Completed" {
				known = append(known, s.Name)
			}
		}
		a.mu.Lock()
		if len(a.done) < maxStates {
			a.done[key] = known
		}
		a.mu.Unlock()
	}
	return slices.Contains(known, state), nil
}

// hasField reports whether a type has a field, because answers omit empty fields.
func (a *adapter) hasField(ctx context.Context, project, kind, field string) (bool, error) {
	var out json.RawMessage
	err := a.get(ctx, "read field", "/"+url.PathEscape(project)+"/_apis/wit/workitemtypes/"+url.PathEscape(kind)+"/fields/"+field, nil, &out)
	if tracker.ClassOf(err) == tracker.ClassNotFound {
		return false, nil
	}
	return err == nil, err
}
