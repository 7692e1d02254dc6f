package tracker

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/tracker/simapi"
)

type (
	obj    = host.Obj
	reply  = host.Reply
	micros = host.Micros
)

// state is everything that the simulator stores; its fields are exported for the state file.
type state struct {
	host.BaseState
	Accounts []*account
	Tokens   map[string]*token // by text
	Projects []*project
	Issues   []*issue
	Hooks    []*hook
	Apps     []*app
	Grants   map[string]*grant // codes and refresh tokens, by text
}

type account struct{ ID, Name, Email string }

// token is a personal token, or an access token of OAuth.
type token struct {
	Account string
	OAuth   bool
	Expires micros // 0: never
	Family  string // the consent that it came from
}

type project struct{ ID, Key, Name string }

type issue struct {
	ID, Project     string // Project is a key
	Number          int
	Type, State     string
	Done, Hidden    bool
	Title, Text     string
	Parent          string // key
	Fields          map[string]string
	Earlier         []string // former keys
	Comments        []*comment
	Links           []*link
	Created, Edited micros
	Rev             int
}

type comment struct {
	ID, Account, Text string
	Properties        map[string]string
	Created, Edited   micros
}

type link struct{ ID, Given, URL, Title string }

type hook struct {
	ID int64
	simapi.HookSpec
}

type app struct{ ID, Secret, Name, Redirect, Account string }

// grant is a code or a refresh token.
type grant struct {
	App, Account, Redirect, Challenge, Family string
	Refresh, Used                             bool
	Expires                                   micros
}

func newState() *state {
	return &state{BaseState: host.NewBaseState(2, nil), Tokens: map[string]*token{}, Grants: map[string]*grant{}}
}

func (s *state) account(id string) *account {
	return host.First(slices.Values(s.Accounts), func(a *account) bool { return a.ID == id })
}

func (s *state) project(key string) *project {
	return host.First(slices.Values(s.Projects), func(p *project) bool { return p.Key == key })
}

// sortedProjects returns the projects by key.
func (s *state) sortedProjects() []*project {
	return slices.SortedFunc(slices.Values(s.Projects), func(a, b *project) int { return cmp.Compare(a.Key, b.Key) })
}

// key returns an issue's key for people; in Azure Boards that is its number.
func (s *Server) key(i *issue) string {
	if s.dialect == simapi.AzureBoards {
		return strconv.Itoa(i.Number)
	}
	return i.Project + "-" + strconv.Itoa(i.Number)
}

// find returns an issue by its key, a former key, or its id; Server.Mu is held.
func (s *Server) find(key string) *issue {
	return host.First(slices.Values(s.st.Issues), func(i *issue) bool {
		return s.key(i) == key || i.ID == key ||
			slices.Contains(i.Earlier, key)
	})
}

// visibleIssue is [Server.find] for accounts with a token; Server.Mu is held.
func (s *Server) visibleIssue(key string) *issue {
	if i := s.find(key); i != nil && !i.Hidden {
		return i
	}
	return nil
}

// newest returns the issues of a project that tokens see, last changed first; Server.Mu is held.
func (s *Server) newest(project string) []*issue {
	var list []*issue
	for _, i := range s.st.Issues {
		if i.Project == project && !i.Hidden {
			list = append(list, i)
		}
	}
	slices.SortStableFunc(list, func(a, b *issue) int { return cmp.Compare(b.Edited, a.Edited) })
	return list
}

func (i *issue) comment(id string) *comment {
	return host.First(slices.Values(i.Comments), func(c *comment) bool { return c.ID == id })
}

// linkTo returns a link by its given id, or by its address.
func (i *issue) linkTo(given, address string) *link {
	return host.First(slices.Values(i.Links), func(l *link) bool { return given != "" && l.Given == given || given == "" && l.URL == address })
}

// newID returns an id in the form of the dialect.
func (s *Server) newID(kind string) string {
	if s.dialect == simapi.Linear {
		return host.NewGUID()
	}
	return strconv.FormatInt(10_000+s.st.ID(kind), 10)
}

// stamp returns a time in the format of Linear and Azure DevOps.
func stamp(m micros) string { return m.Time().Format("2006-01-02T15:04:05.000Z") }

// tick returns the current time, but later than all before, so that the times show the order of changes.
func (s *Server) tick() micros {
	now := max(int64(s.NowMicros()), s.st.NextID["tick"]+int64(time.Millisecond/time.Microsecond))
	s.st.NextID["tick"] = now
	return micros(now)
}

// page returns the address of an issue's page; Server.Mu is held.
func (s *Server) page(i *issue) string {
	switch s.dialect {
	case simapi.Linear:
		return fmt.Sprintf("%s/issue/%s/x", s.Base, s.key(i))
	case simapi.AzureBoards:
		return fmt.Sprintf("%s/%s/_workitems/edit/%d", s.Base, escape(i.Project), i.Number)
	}
	return s.Base + "/browse/" + s.key(i)
}
