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

const stateVersion = 1

// state is everything that is remembered; its fields are exported for the state file.
type state struct {
	Version      int
	ControlToken string
	Last         map[string]int64
	Accounts     []*account
	Tokens       map[string]*token // by text
	Projects     []*project
	Issues       []*issue
	Hooks        []*hook
	Apps         []*app
	Grants       map[string]*grant // codes and refresh tokens, by text
	Deliveries   []*host.Delivery
}

type account struct{ ID, Name, Email string }

// token is a personal token, or an access token of OAuth.
type token struct {
	Account string
	OAuth   bool
	Expires micros // 0: never
	Family  string // of what one consent gave
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
	Earlier         []string // keys that it had
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
	return &state{Version: stateVersion, Last: map[string]int64{}, Tokens: map[string]*token{}, Grants: map[string]*grant{}}
}

// id is a new number of a kind.
func (s *state) id(kind string) int64 {
	s.Last[kind]++
	return s.Last[kind]
}

func (s *state) account(id string) *account {
	for _, a := range s.Accounts {
		if a.ID == id {
			return a
		}
	}
	return nil
}

func (s *state) project(key string) *project {
	for _, p := range s.Projects {
		if p.Key == key {
			return p
		}
	}
	return nil
}

// sortedProjects are the projects by key.
func (s *state) sortedProjects() []*project {
	return slices.SortedFunc(slices.Values(s.Projects), func(a, b *project) int { return cmp.Compare(a.Key, b.Key) })
}

// key is how people write an issue: of Azure Boards its number.
func (s *Server) key(i *issue) string {
	if s.opt.Dialect == simapi.AzureBoards {
		return strconv.Itoa(i.Number)
	}
	return i.Project + "-" + strconv.Itoa(i.Number)
}

// find finds an issue by its key, one that it had, or its id; Server.mu is held.
func (s *Server) find(key string) *issue {
	for _, i := range s.st.Issues {
		if s.key(i) == key || i.ID == key || slices.Contains(i.Earlier, key) {
			return i
		}
	}
	return nil
}

// seen is [Server.find] for who has a token; Server.mu is held.
func (s *Server) seen(key string) *issue {
	if i := s.find(key); i != nil && !i.Hidden {
		return i
	}
	return nil
}

// newest are the issues of a project that tokens see, those changed last first; Server.mu is held.
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
	for _, c := range i.Comments {
		if c.ID == id {
			return c
		}
	}
	return nil
}

// linkTo finds a link by what was given as its id, or by its address.
func (i *issue) linkTo(given, address string) *link {
	for _, l := range i.Links {
		if given != "" && l.Given == given || given == "" && l.URL == address {
			return l
		}
	}
	return nil
}

// newID is an id in the form of the dialect.
func (s *Server) newID(kind string) string {
	if s.opt.Dialect == simapi.Linear {
		return host.NewGUID()
	}
	return strconv.FormatInt(10_000+s.st.id(kind), 10)
}

// stamp is a time as Linear and Azure DevOps write it.
func stamp(m micros) string { return m.Time().Format("2006-01-02T15:04:05.000Z") }

func (s *Server) nowMicros() micros { return micros(s.now().UnixMicro()) }

// tick is now, later than everything before: the order of changes is that of their times.
func (s *Server) tick() micros {
	now := max(int64(s.nowMicros()), s.st.Last["tick"]+int64(time.Millisecond/time.Microsecond))
	s.st.Last["tick"] = now
	return micros(now)
}

// page is the address of the page of an issue; Server.mu is held.
func (s *Server) page(i *issue) string {
	switch s.opt.Dialect {
	case simapi.Linear:
		return fmt.Sprintf("%s/issue/%s/x", s.base, s.key(i))
	case simapi.AzureBoards:
		return fmt.Sprintf("%s/%s/_workitems/edit/%d", s.base, escape(i.Project), i.Number)
	}
	return s.base + "/browse/" + s.key(i)
}
