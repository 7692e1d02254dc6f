package azuredevops

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/assay-dev/assay/sim/azuredevops/simapi"
	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/gitrepo"
)

type (
	obj    = host.Obj
	reply  = host.Reply
	micros = host.Micros
)

// state is everything that the simulator stores, apart from git objects. Server.Mu guards it. All fields are exported for the JSON file
// only.
type state struct {
	host.BaseState
	Users         map[int64]*user
	Orgs          map[string]*org   // by lower-case name
	Tokens        map[string]*token // by the hash of the text
	Apps          map[string]simapi.App
	Projects      map[int64]*project
	Repos         map[int64]*repository
	Subscriptions map[int64]*subscription
}

type user struct {
	ID      int64
	Login   string // unique name
	Name    string
	App     bool // a service principal
	Blocked bool
	Created micros
}

func (u *user) guid() string { return simapi.ID("user", u.ID) }

type org struct {
	Name   string
	Admins map[int64]bool
	People map[int64]bool // members, who see every project
}

type token struct {
	ID     int64
	UserID int64
	Bearer bool  // of a service principal
	Ends   int64 // seconds; 0 never
}

// project has the rights: admin, write or read.
type project struct {
	ID        int64
	Org, Name string
	Public    bool
	Roles     map[int64]string
	Tags      []string // names of labels
}

func (p *project) guid() string { return simapi.ID("project", p.ID) }

// path returns "organisation/project".
func (p *project) path() string { return p.Org + "/" + p.Name }

type repository struct {
	ID            int64
	ProjectID     int64
	Name          string
	Description   string
	DefaultBranch string
	ForkOf, GitID int64
	Disabled      bool
	Pulls         map[int]*pull
	Builds        []*host.WorkflowRun
	Statuses      []*status // of commits
	Protected     []string
	Required      []string `json:",omitempty"`
	Created       micros

	git *gitrepo.Repo // set when the state is loaded or the repository is made; constant afterwards
}

func (r *repository) guid() string { return simapi.ID("repository", r.ID) }

type pull struct {
	Number      int
	Title, Body string
	Author      int64
	Status      string // active, completed, abandoned
	Draft       bool
	Source      string // branch
	Target      string
	ForkID      int64 // repository of the source branch, 0 for the same one
	Reviewers   []*reviewer
	Labels      []label
	Iterations  []*iteration // newest last
	Threads     []*thread
	Statuses    []*status
	Created     micros
	Closed      micros
	ClosedBy    int64
	MergeCommit string
}

// now returns the newest iteration.
func (p *pull) now() *iteration { return p.Iterations[len(p.Iterations)-1] }

// iteration returns the iteration with an id, or nil if the id is unknown.
func (p *pull) iteration(id int) *iteration {
	return host.First(slices.Values(p.Iterations), func(i *iteration) bool { return i.ID == id })
}

// iteration is the state of a pull request after a push.
type iteration struct {
	ID                     int
	Source, Target, Common string
	Created                micros
}

type reviewer struct {
	UserID int64
	Vote   int
}

type label struct {
	ID   int64
	Name string
}

type status struct {
	ID                      int64
	Iteration               int
	SHA, State              string
	Genre, Name, Text, Link string
	Creator                 int64
	Created                 micros
	Lag                     string
}

// place is the place of a thread. A side without lines is empty.
type place struct {
	Path       string `json:"filePath"`
	LeftStart  *point `json:"leftFileStart"`
	LeftEnd    *point `json:"leftFileEnd"`
	RightStart *point `json:"rightFileStart"`
	RightEnd   *point `json:"rightFileEnd"`
}

type point struct {
	Line   int `json:"line"`
	Offset int `json:"offset"`
}

// span returns the side and the first and last line of a place.
func (p *place) span() (left bool, first, last int) {
	start, end := p.RightStart, p.RightEnd
	if end == nil {
		left, start, end = true, p.LeftStart, p.LeftEnd
	}
	if start == nil || end == nil {
		return left, 0, 0
	}
	return left, start.Line, end.Line
}

type thread struct {
	ID         int64
	Status     string // active, fixed, wontFix, closed, byDesign, pending; "" without one
	Place      *place
	Iteration  int
	Properties map[string]string
	Comments   []*comment
	Created    micros
	Updated    micros
	ResolvedBy int64
	Lag        string
}

// deleted reports whether every comment of the thread is deleted.
func (t *thread) deleted() bool {
	return !slices.ContainsFunc(t.Comments, func(c *comment) bool { return !c.Deleted })
}

// resolved reports whether the thread is closed.
func (t *thread) resolved() bool {
	return t.Status != "" && t.Status != "active" && t.Status != "pending"
}

type comment struct {
	ID, Parent       int
	User             int64
	Body             string
	System           bool
	Deleted          bool
	Likes            []int64
	Created, Updated micros
}

// maxComments bounds the comments of a thread in ids of the control interface, which count threads and comments together.
const maxComments = 10_000

func (t *thread) commentID(c *comment) int64 { return t.ID*maxComments + int64(c.ID) }

type subscription struct {
	ID        int64
	Org       string
	RepoID    int64
	ProjectID int64
	Event     string
	Version   string            // of the resource
	Inputs    map[string]string // of the publisher
	Consumer  map[string]string
	Status    string
	Failures  int
	CreatedBy int64
}

func newState() *state {
	return &state{BaseState: host.NewBaseState(1, firstIDs), Users: map[int64]*user{}, Orgs: map[string]*org{}, Tokens: map[string]*token{},
		Apps: map[string]simapi.App{}, Projects: map[int64]*project{}, Repos: map[int64]*repository{},
		Subscriptions: map[int64]*subscription{}}
}

// firstIDs differ between kinds, so that mix-ups show.
var firstIDs = map[string]int64{"user": 11, "token": 31, "project": 131, "repository": 71, "thread": 1301, "status": 1401, "label": 501,
	"run": 651, "job": 681, "subscription": 601, "delivery": 701}

var (
	errNoRepo = errors.New("repository: no repository has this name")
	errNoPull = errors.New("number: there is no such pull request")
	errNoUser = errors.New("login: there is no such account")
)

func (st *state) user(login string) *user {
	return host.First(maps.Values(st.Users), func(u *user) bool { return strings.EqualFold(u.Login, login) })
}

func (st *state) userOf(guid string) *user {
	return host.First(maps.Values(st.Users), func(u *user) bool { return strings.EqualFold(u.guid(), guid) })
}

func (st *state) subscription(guid string) *subscription {
	return host.First(maps.Values(st.Subscriptions), func(h *subscription) bool { return strings.EqualFold(h.guid(), guid) })
}

// login returns the unique name of an account.
func (st *state) login(id int64) string {
	if u := st.Users[id]; u != nil {
		return u.Login
	}
	return ""
}

func (st *state) addUser(login, name string, now micros) *user {
	if u := st.user(login); u != nil {
		return u
	}
	u := &user{ID: st.ID("user"), Login: login, Name: host.OrElse(name, login), Created: now}
	st.Users[u.ID] = u
	return u
}

// divide returns organisation and project of an owner.
func divide(owner string) (organisation, name string) {
	organisation, name, found := strings.Cut(owner, "/")
	if !found {
		name = organisation
	}
	return organisation, name
}

func (st *state) project(owner string) *project {
	organisation, name := divide(owner)
	return st.projectIn(organisation, name)
}

// projectIn finds a project of an organisation by its name or its id.
func (st *state) projectIn(organisation, name string) *project {
	return host.First(maps.Values(st.Projects), func(p *project) bool {
		return strings.EqualFold(p.Org, organisation) && (strings.EqualFold(p.Name, name) || strings.EqualFold(p.guid(), name))
	})
}

// repo finds a repository by its name in the control interface, or by the path of its page, which has "_git" before the last part.
func (st *state) repo(full string) *repository {
	at := strings.LastIndexByte(full, '/')
	if at < 0 {
		return nil
	}
	if p := st.project(strings.TrimSuffix(full[:at], "/_git")); p != nil {
		return st.repoIn(p, full[at+1:])
	}
	return nil
}

// repoIn finds a repository of a project by its name or its id.
func (st *state) repoIn(p *project, name string) *repository {
	return host.First(maps.Values(st.Repos), func(r *repository) bool {
		return r.ProjectID == p.ID && (strings.EqualFold(r.Name, name) || strings.EqualFold(r.guid(), name))
	})
}

// full returns the name of a repository in the control interface.
func (st *state) full(r *repository) string { return st.Projects[r.ProjectID].path() + "/" + r.Name }

// named returns the repository with a name.
func (st *state) named(full string) (*repository, error) {
	if r := st.repo(full); r != nil {
		return r, nil
	}
	return nil, errNoRepo
}

func (st *state) find(full string, number int) (*repository, *pull, error) {
	r := st.repo(full)
	if r == nil {
		return nil, nil, errNoRepo
	}
	if p := r.Pulls[number]; p != nil {
		return r, p, nil
	}
	return nil, nil, errNoPull
}

// role returns a person's right in a project: admin, write, read or "".
func (st *state) role(u *user, p *project) string {
	if u == nil || u.Blocked {
		return ""
	}
	o := st.Orgs[strings.ToLower(p.Org)]
	switch {
	case o != nil && o.Admins[u.ID]:
		return "admin"
	case p.Roles[u.ID] != "":
		return p.Roles[u.ID]
	case o != nil && o.People[u.ID], p.Public:
		return "read"
	}
	return ""
}

// thread finds a thread and a comment by the comment's id in the control interface.
func (p *pull) thread(id int64) (*thread, *comment) {
	for _, t := range p.Threads {
		for _, c := range t.Comments {
			if t.commentID(c) == id && !c.Deleted {
				return t, c
			}
		}
	}
	return nil, nil
}
