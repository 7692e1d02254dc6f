package tracker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/tracker/simapi"
)

var (
	errNoIssue   = errors.New("issue: no issue has this key")
	errNoProject = errors.New("project: no project has this key")
	errNoAccount = errors.New("account: no account has this id")
)

// NewAccount makes an account with a token.
func (s *Server) NewAccount(_ context.Context, in simapi.AccountSpec) (simapi.Account, error) {
	if in.Name == "" {
		return simapi.Account{}, errors.New("name: must not be empty")
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	a := &account{ID: s.newID("account"), Name: in.Name, Email: host.OrElse(in.Email, in.Name+"@example.com")}
	s.st.Accounts = append(s.st.Accounts, a)
	text := "sim_" + host.RandomHex(20)
	s.st.Tokens[text] = &token{Account: a.ID}
	s.Touch()
	return simapi.Account{ID: a.ID, Name: a.Name, Token: text}, nil
}

// Revoke ends all tokens of an account.
func (s *Server) Revoke(_ context.Context, id string) error {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if s.st.account(id) == nil {
		return errNoAccount
	}
	maps.DeleteFunc(s.st.Tokens, func(_ string, t *token) bool { return t.Account == id })
	maps.DeleteFunc(s.st.Grants, func(_ string, g *grant) bool { return g.Account == id })
	s.Touch()
	return nil
}

// NewProject makes a project, or a team.
func (s *Server) NewProject(_ context.Context, in simapi.ProjectSpec) error {
	if err := in.Check(); err != nil {
		return err
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if s.st.project(in.Key) != nil {
		return errors.New("key: there is a project with it")
	}
	s.st.Projects = append(s.st.Projects, &project{ID: host.NewGUID(), Key: in.Key, Name: host.OrElse(in.Name, in.Key)})
	s.Touch()
	return nil
}

// NewIssue makes an issue and sends its webhooks.
func (s *Server) NewIssue(_ context.Context, in simapi.IssueSpec) (simapi.Issue, error) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if s.st.project(in.Project) == nil {
		return simapi.Issue{}, errNoProject
	}
	if in.Title == "" {
		return simapi.Issue{}, errors.New("title: must not be empty")
	}
	i := &issue{ID: s.newID("issue"), Project: in.Project, Number: in.Number, Type: host.OrElse(in.Type, "Story"),
		State: host.OrElse(in.State, "In Progress"),
		Done:  in.Done, Hidden: in.Hidden, Title: in.Title, Text: in.Text, Parent: in.Parent, Fields: in.Fields, Created: s.tick(), Rev: 1}
	if i.Number == 0 {
		i.Number = s.number(in.Project)
	}
	i.Edited = i.Created
	if s.dialect == simapi.AzureBoards {
		i.ID = s.key(i)
	}
	if s.find(s.key(i)) != nil {
		return simapi.Issue{}, errors.New("number: there is an issue with it")
	}
	s.st.Issues = append(s.st.Issues, i)
	s.notifyHooks(issueEvent{what: issueMade, issue: i})
	return s.describe(i), nil
}

// number returns a new number, counted per project, in Azure Boards over all projects; Server.Mu is held.
func (s *Server) number(project string) int {
	kind := "number " + project
	if s.dialect == simapi.AzureBoards {
		kind = "number"
	}
	for {
		n := int(s.st.ID(kind))
		if s.find(s.key(&issue{Project: project, Number: n})) == nil {
			return n
		}
	}
}

// EditIssue changes an issue and sends its webhooks.
func (s *Server) EditIssue(_ context.Context, key string, in simapi.IssueChange) (simapi.Issue, error) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	i := s.find(key)
	if i == nil {
		return simapi.Issue{}, errNoIssue
	}
	if in.Project != nil {
		if s.st.project(*in.Project) == nil {
			return simapi.Issue{}, errNoProject
		}
		i.Earlier = append(i.Earlier, s.key(i))
		i.Project = *in.Project
		if s.dialect != simapi.AzureBoards {
			i.Number = s.number(i.Project)
		}
	}
	host.Set(&i.Title, in.Title)
	host.Set(&i.Text, in.Text)
	host.Set(&i.State, in.State)
	host.Set(&i.Done, in.Done)
	host.Set(&i.Hidden, in.Hidden)
	if len(in.Fields) > 0 {
		fields := maps.Clone(i.Fields)
		if fields == nil {
			fields = map[string]string{}
		}
		maps.Copy(fields, in.Fields)
		i.Fields = fields
	}
	i.Rev++
	i.Edited = s.tick()
	s.notifyHooks(issueEvent{what: issueEdited, issue: i})
	return s.describe(i), nil
}

// DeleteIssue deletes an issue and sends its webhooks.
func (s *Server) DeleteIssue(_ context.Context, key string) error {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	i := s.find(key)
	if i == nil {
		return errNoIssue
	}
	s.st.Issues = slices.DeleteFunc(s.st.Issues, func(x *issue) bool { return x == i })
	s.notifyHooks(issueEvent{what: issueGone, issue: i})
	return nil
}

// Issue returns an issue with its comments and links.
func (s *Server) Issue(key string) (simapi.Issue, error) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	i := s.find(key)
	if i == nil {
		return simapi.Issue{}, errNoIssue
	}
	return s.describe(i), nil
}

// describe returns an issue for people; Server.Mu is held.
func (s *Server) describe(i *issue) simapi.Issue {
	out := simapi.Issue{Key: s.key(i), ID: i.ID, URL: s.page(i), Title: i.Title, State: i.State, Text: i.Text,
		Comments: []simapi.Comment{}, Links: []simapi.Link{}}
	for _, c := range i.Comments {
		out.Comments = append(out.Comments, s.describeComment(c))
	}
	for _, l := range i.Links {
		out.Links = append(out.Links, simapi.Link{ID: host.OrElse(l.Given, l.ID), URL: l.URL, Title: l.Title})
	}
	return out
}

func (s *Server) describeComment(c *comment) simapi.Comment {
	return simapi.Comment{ID: c.ID, Account: c.Account, Author: s.nameOf(c.Account), Text: c.Text, Properties: c.Properties,
		CreatedUS: int64(c.Created), EditedUS: int64(c.Edited)}
}

func (s *Server) nameOf(id string) string {
	if a := s.st.account(id); a != nil {
		return a.Name
	}
	return "Somebody"
}

// Comment writes a comment as an account and sends its webhooks.
func (s *Server) Comment(_ context.Context, key string, in simapi.CommentSpec) (simapi.Comment, error) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	i := s.find(key)
	if i == nil {
		return simapi.Comment{}, errNoIssue
	}
	if s.st.account(in.Account) == nil {
		return simapi.Comment{}, errNoAccount
	}
	return s.describeComment(s.addComment(i, in.Account, in.Text, nil)), nil
}

// addComment writes a comment; Server.Mu is held.
func (s *Server) addComment(i *issue, account, text string, properties map[string]string) *comment {
	c := &comment{ID: s.newID("comment"), Account: account, Text: text, Properties: properties, Created: s.tick()}
	i.Comments = append(i.Comments, c)
	s.notifyHooks(issueEvent{what: commentMade, issue: i, comment: c})
	return c
}

// Link links an issue to an address, like a person.
func (s *Server) Link(_ context.Context, key string, in simapi.Link) error {
	if u, err := url.Parse(in.URL); err != nil || u.Host == "" {
		return errors.New("url: must be an absolute address")
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	i := s.find(key)
	if i == nil {
		return errNoIssue
	}
	s.addLink(i, in)
	s.Touch()
	return nil
}

// addLink makes a link, or changes the one with the same id or address; Server.Mu is held.
func (s *Server) addLink(i *issue, in simapi.Link) (l *link, fresh bool) {
	if l = i.linkTo(in.ID, in.URL); l == nil {
		l, fresh = &link{ID: s.newID("link"), Given: in.ID}, true
		i.Links = append(i.Links, l)
	}
	l.URL, l.Title = in.URL, in.Title
	i.Rev++
	return l, fresh
}

// NewHook makes a webhook.
func (s *Server) NewHook(_ context.Context, in simapi.HookSpec) error {
	if u, err := url.Parse(in.URL); err != nil || u.Host == "" {
		return errors.New("url: must be an absolute address")
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	s.st.Hooks = append(s.st.Hooks, &hook{ID: s.st.ID("hook"), HookSpec: in})
	s.Touch()
	return nil
}

// NewApp registers an app for OAuth, with the account of its tokens.
func (s *Server) NewApp(_ context.Context, in simapi.AppSpec) (simapi.App, error) {
	if s.dialect != simapi.Linear {
		return simapi.App{}, fmt.Errorf("apps: the simulated %s has no apps", s.dialect)
	}
	if u, err := url.Parse(in.Redirect); err != nil || u.Host == "" {
		return simapi.App{}, errors.New("redirect: must be an absolute address")
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	who := &account{ID: s.newID("account"), Name: host.OrElse(in.Name, "App"), Email: host.RandomHex(8) + "@oauthapp.example.com"}
	s.st.Accounts = append(s.st.Accounts, who)
	a := &app{ID: host.RandomHex(16), Secret: host.RandomHex(16), Name: who.Name, Redirect: in.Redirect, Account: who.ID}
	s.st.Apps = append(s.st.Apps, a)
	s.Touch()
	return simapi.App{ClientID: a.ID, ClientSecret: a.Secret, Account: who.ID}, nil
}

// Kinds of events.
const (
	issueMade = iota
	issueEdited
	issueGone
	commentMade
	commentEdited
)

// issueEvent is an event for webhooks.
type issueEvent struct {
	what    int
	issue   *issue
	comment *comment
	project *project
}

// notifyHooks sends an event to all webhooks; Server.Mu is held.
func (s *Server) notifyHooks(h issueEvent) {
	s.Touch()
	h.project = s.st.project(h.issue.Project)
	for _, k := range s.st.Hooks {
		headers, body := s.speak.deliver(s, k, h)
		guid := host.OrElse(headers[deliveryHeader], host.NewGUID())
		s.Sender.Enqueue(host.Delivery{Owner: k.ID, GUID: guid, Event: eventWords[h.what], URL: k.URL, Headers: headers, Payload: string(body)})
	}
}

// deliveryHeader is the header with the id of a delivery, in dialects that have one.
const deliveryHeader = "Linear-Delivery"

// eventWords maps events to the words of the control interface.
var eventWords = map[int]string{issueMade: "issue.create", issueEdited: "issue.update", issueGone: "issue.remove",
	commentMade: "comment.create", commentEdited: "comment.update"}

// Resend sends a delivery again, unchanged or, with a doubt, with another time.
func (s *Server) Resend(_ context.Context, id int64) error {
	d, found := s.Sender.Find(id)
	if !found {
		return errors.New("delivery: no delivery has this id")
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	headers, payload := d.Headers, d.Payload
	if s.On(simapi.FreshTimestamp) && s.dialect == simapi.Linear {
		headers, payload = s.withCurrentTime(d)
	}
	s.Sender.Send(host.Delivery{Owner: d.Owner, GUID: d.GUID, Event: d.Event, Redelivery: true, URL: d.URL, Headers: headers,
		Payload: payload})
	return nil
}

// withCurrentTime returns a Linear delivery with the current time; Server.Mu is held.
func (s *Server) withCurrentTime(d host.Delivery) (map[string]string, string) {
	body := obj{}
	if json.Unmarshal([]byte(d.Payload), &body) != nil {
		return d.Headers, d.Payload
	}
	body["webhookTimestamp"] = s.Now().UnixMilli()
	raw, headers := host.Encode(body), maps.Clone(d.Headers)
	for _, h := range s.st.Hooks {
		if h.ID == d.Owner {
			headers["Linear-Signature"] = sign(h.Secret, raw)
		}
	}
	return headers, string(raw)
}
