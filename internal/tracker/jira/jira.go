// Package jira is the adapter to Jira: Cloud by version 3 of its API, with texts as documents (ADF), and
// Data Center by version 2, with wiki text.
//
// Facts about Cloud are from the OpenAPI description of its platform
// (developer.atlassian.com/cloud/jira/platform/rest/v3) and the pages on webhooks beside it, and those
// about Data Center from developer.atlassian.com/server/jira/platform (rest-apis, personal-access-token,
// webhooks). The host name of the address identifies Cloud (*.atlassian.net), else the server does
// (serverInfo, deploymentType). The adapter does not use the API for OAuth apps (api.atlassian.com).
package jira

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/tracker"
	"github.com/assay-dev/assay/internal/tracker/text"
	"github.com/assay-dev/assay/internal/tracker/wire"
)

var (
	keyForm     = regexp.MustCompile(`^[A-Z][A-Z0-9_]{0,49}-[1-9][0-9]{0,9}$`)
	projectForm = regexp.MustCompile(`^[A-Z][A-Z0-9_]{0,49}$`)
	idForm      = regexp.MustCompile(`^[0-9]{1,20}$`)
	fieldForm   = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,99}$`)
)

type adapter struct {
	send *wire.Sender
	base string

	mu   sync.Mutex
	lang *dialect // nil while it is unknown
	self string   // our account; "" while it is unknown
}

// dialect holds the differences between Cloud and Data Center.
type dialect struct {
	version string // version of the API
	search  string // path of the search
	read    func(raw json.RawMessage, n int) (string, bool)
	write   func(md, foot string) (any, error)
	// footed reports that a marker is also below the comment, beside the property.
	footed bool
}

// cloud keeps the marker in a property of the comment, which people do not see.
var cloud = &dialect{version: "3", search: "/search/jql", read: text.FromADF,
	write: func(md, foot string) (any, error) { return text.ToADF(md, foot) }}

// server also puts the marker below the text, because a server may not keep properties of comments.
var server = &dialect{version: "2", search: "/search", read: fromWiki, footed: true,
	write: func(md, foot string) (any, error) { return text.ToWiki(md) + "\n\n{{" + foot + "}}", nil }}

func fromWiki(raw json.RawMessage, n int) (string, bool) {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return "", false // null, or a field that is not a text
	}
	return text.FromWiki(s, n)
}

// New checks the configuration and returns a Tracker. It sends nothing.
func New(cfg tracker.Config) (tracker.Tracker, error) {
	if cfg.Client == nil || cfg.Token == nil {
		return nil, errors.New("jira: Client and Token are needed")
	}
	base, err := wire.Base(cfg.BaseURL)
	if err != nil {
		return nil, errors.New("jira: " + err.Error())
	}
	// API tokens of Cloud need the account's address. Personal access tokens of Data Center do not.
	value := func(s secret.Secret) string { return "Bearer " + s.Reveal() }
	if cfg.Email != "" {
		value = func(s secret.Secret) string {
			return "Basic " + base64.StdEncoding.EncodeToString([]byte(cfg.Email+":"+s.Reveal()))
		}
	}
	a := &adapter{send: wire.NewSender(cfg.Client, wire.Token(cfg, value), judge), base: base.String()}
	if strings.HasSuffix(base.Hostname(), ".atlassian.net") {
		a.lang = cloud
	}
	return a, nil
}

// judge implements [wire.Judge]. A refusal has its texts in a list and by field.
func judge(_ wire.Call, a wire.Answer, err *tracker.Error) *tracker.Error {
	if err == nil || wire.IsPage(a) || a.Status < 400 {
		return err
	}
	var r struct {
		Messages []string          `json:"errorMessages"`
		Errors   map[string]string `json:"errors"`
		Message  string            `json:"message"`
	}
	if json.Unmarshal(a.Body, &r) != nil {
		return err
	}
	said := slices.Concat(r.Messages[:min(len(r.Messages), 5)], []string{r.Message})
	for name, words := range r.Errors {
		if len(said) < 8 {
			said = append(said, name+": "+words)
		}
	}
	slices.Sort(said)
	err.Message = wire.ErrorText(strings.Trim(strings.Join(said, "; "), "; "))
	// Cloud answers 400 if the account lacks the right to edit a comment.
	if err.Class == tracker.ClassInvalid && strings.Contains(err.Message, "permission to edit") {
		err.Class = tracker.ClassForbidden
	}
	return err
}

// dialectOf returns the dialect. It asks the server once.
func (a *adapter) dialectOf(ctx context.Context) (*dialect, error) {
	a.mu.Lock()
	lang := a.lang
	a.mu.Unlock()
	if lang != nil {
		return lang, nil
	}
	var info struct{ DeploymentType string }
	if err := a.send.JSON(ctx, wire.Call{Op: "ask the server what it is", Method: http.MethodGet, URL: a.base +
		"/rest/api/2/serverInfo"}, nil, &info); err != nil {
		return nil, err
	}
	lang = server
	if strings.EqualFold(info.DeploymentType, "Cloud") {
		lang = cloud
	}
	a.mu.Lock()
	a.lang = lang
	a.mu.Unlock()
	return lang, nil
}

// get reads a path of the API.
func (a *adapter) get(ctx context.Context, op, path string, query url.Values, out any) error {
	return a.run(ctx, wire.Call{Op: op, Method: http.MethodGet}, path, query, nil, out)
}

func (a *adapter) run(ctx context.Context, c wire.Call, path string, query url.Values, in, out any) error {
	lang, err := a.dialectOf(ctx)
	if err != nil {
		return err
	}
	c.URL = a.base + "/rest/api/" + lang.version + path
	if len(query) > 0 {
		c.URL += "?" + query.Encode()
	}
	return a.send.JSON(ctx, c, in, out)
}

// person is an account. Cloud identifies it by accountId, Data Center by key and name.
type person struct{ AccountID, Key, Name, DisplayName string }

func (p person) id() string {
	for _, s := range []string{p.AccountID, p.Key, p.Name} {
		if s != "" {
			return s
		}
	}
	return ""
}

// OwnAccount implements [tracker.Reader].
func (a *adapter) OwnAccount(ctx context.Context) (tracker.Account, error) {
	var me person
	if err := a.get(ctx, "who am I", "/myself", nil, &me); err != nil {
		return tracker.Account{}, err
	}
	if me.id() == "" {
		return tracker.Account{}, &tracker.Error{Class: tracker.ClassUnavailable, Op: "who am I", Message: "the answer names no account"}
	}
	a.mu.Lock()
	a.self = me.id()
	a.mu.Unlock()
	return tracker.Account{ID: wire.Word(me.id()), Name: wire.Word(me.DisplayName)}, nil
}

// ownAccountID returns our account. It asks the server once.
func (a *adapter) ownAccountID(ctx context.Context) (string, error) {
	a.mu.Lock()
	self := a.self
	a.mu.Unlock()
	if self != "" {
		return self, nil
	}
	if _, err := a.OwnAccount(ctx); err != nil {
		return "", err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.self, nil
}

type project struct{ Key, Name string }

// Projects implements [tracker.Reader]. Data Center returns all projects in one page.
func (a *adapter) Projects(ctx context.Context) ([]tracker.Project, error) {
	const op = "list projects"
	lang, err := a.dialectOf(ctx)
	if err != nil {
		return nil, err
	}
	read := 0
	return wire.Projects(ctx, op, func(ctx context.Context, _ int) (list []project, more bool, err error) {
		if lang == server {
			return list, false, a.get(ctx, op, "/project", nil, &list)
		}
		var page struct {
			Values []project
			IsLast bool
		}
		query := url.Values{"startAt": {strconv.Itoa(read)}, "maxResults": {"100"}, "orderBy": {"key"}}
		err = a.get(ctx, op, "/project/search", query, &page)
		read += len(page.Values)
		return page.Values, !page.IsLast && len(page.Values) > 0, err
	}, func(p project) (tracker.Project, bool) {
		return tracker.Project{Key: p.Key, Name: wire.Word(p.Name)}, projectForm.MatchString(p.Key)
	})
}

// timeForm is the form of the tracker's times ("2026-11-23T10:00:00.000+0000").
const timeForm = "2006-01-02T15:04:05.000-0700"

// LinkedTo implements [tracker.Reader]. It returns nil, because Jira cannot search for remote links.
func (a *adapter) LinkedTo(context.Context, string) ([]string, error) { return nil, nil }
