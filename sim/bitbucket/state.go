package bitbucket

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/gitrepo"
)

type (
	obj    = host.Obj
	reply  = host.Reply
	micros = host.Micros
)

// state is everything that the simulator stores, apart from git objects. Server.Mu guards it. All fields are
// exported for the JSON file only.
type state struct {
	host.BaseState
	Users  map[string]*user  // by lower-case login
	Tokens map[string]*token // by the hash of the text; a consumer by that of its secret
	Repos  map[int64]*repository
	Moved  map[string]int64 // former lower-case full names of repositories
	Hooks  map[int64]*hook
}

// user is a person, a workspace (Org), or the account of an access token (App).
type user struct {
	ID          int64
	Login, Name string
	Email       string
	Org, App    bool
	Blocked     bool
	Members     map[int64]string // of a workspace: "owner" or "member"
	Created     micros
}

// token is a credential. RepoID and WorkspaceID bound its reach; 0 means no bound.
type token struct {
	ID                  int64
	Kind, Name, Key     string
	UserID              int64
	RepoID, WorkspaceID int64
	Scopes              []string
	Expires             int64 // seconds; 0 never
}

type hook struct {
	ID, RepoID, WorkspaceID int64
	URL, Secret             string
	Description             string
	Events                  []string
	Active                  bool
	Created                 micros
}

type repository struct {
	ID            int64
	OwnerID       int64
	Name          string
	Description   string
	Private       bool
	DefaultBranch string
	ForkOf        int64
	GitID         int64            // repository with its objects: itself, or the one that it was forked from
	Collaborators map[int64]string // read, write, admin
	NextNumber    int
	NextIssue     int
	Created       micros
	Updated       micros
	Pulls         map[int]*pull
	Statuses      []*status
	Reports       []*report `json:",omitempty"` // of Data Center
	Runs          []*host.WorkflowRun
	Protected     []string      // no pushes allowed
	Required      []string      `json:",omitempty"` // builds without which nothing merges
	Reviewers     []int64       `json:",omitempty"` // by default
	Issues        []*host.Issue `json:",omitempty"`

	git *gitrepo.Repo // set when the state is loaded or the repository is made; constant afterwards
}

// States of pull requests.
const (
	stateOpen     = "OPEN"
	stateMerged   = "MERGED"
	stateDeclined = "DECLINED"
)

type pull struct {
	ID             int64
	Number         int
	Title, Body    string
	Author         int64
	State          string
	Draft          bool
	ClosedBy       int64
	MergeSHA       string
	Target, Source string
	SourceRepoID   int64
	BaseSHA        string
	MergeBase      string
	HeadSHA        string
	Created        micros
	Updated        micros
	Participants   []*participant
	Comments       []*comment
	Events         []timelineEvent
	Told           *told `json:",omitempty"` // of Data Center
}

// participant is a reviewer, or a person who commented or decided.
type participant struct {
	User     int64
	Reviewer bool
	State    string // approved, changes_requested, ""
	At       micros
}

// timelineEvent is a line of the conversation page that is not a comment.
type timelineEvent struct {
	At    micros
	Actor int64
	Text  string
	SHA   string
}

// comment is a comment of a pull request; inline ones have a Place.
type comment struct {
	ID               int64
	User             int64
	Body             string
	Parent           int64
	Place            *place
	Pending, Deleted bool
	ResolvedBy       int64
	ResolvedAt       micros
	Created, Updated micros
	Lag              string // id of the lag that hides it from lists
	Version          int    `json:",omitempty"` // of Data Center: the number of changes
}

// place is a range of lines: To and StartTo count on the new side, From and StartFrom on the old one.
type place struct {
	Path                         string
	From, To, StartFrom, StartTo int
	Head                         string // at the time of writing
	MergeBase                    string
	DiffHunk                     string // of a line that the diff shows
	LineType                     string `json:",omitempty"` // of Data Center: ADDED, REMOVED, CONTEXT
}

type status struct {
	ID                     int64
	SHA, Key, State        string
	Name, Description, URL string
	Ref                    string
	Creator                int64
	Created, Updated       micros
	Lag                    string
}

func newState() *state {
	return &state{BaseState: host.NewBaseState(1, firstIDs), Users: map[string]*user{}, Tokens: map[string]*token{},
		Repos: map[int64]*repository{}, Moved: map[string]int64{}, Hooks: map[int64]*hook{}}
}

// firstIDs differ between kinds, so that mix-ups show. Ids of comments are large, as on the host.
var firstIDs = map[string]int64{"user": 11, "token": 31, "repository": 71, "pull": 101, "comment": 471_200_301, "status": 401,
	"hook": 601, "run": 651, "job": 681, "delivery": 701, "issue": 751}

func (st *state) user(login string) *user { return st.Users[strings.ToLower(login)] }

func (st *state) userByID(id int64) *user {
	return host.First(maps.Values(st.Users), func(u *user) bool { return u.ID == id })
}

func (st *state) login(id int64) string {
	if u := st.userByID(id); u != nil {
		return u.Login
	}
	return ""
}

func (st *state) addUser(login, name string, now micros) *user {
	if u := st.user(login); u != nil {
		return u
	}
	u := &user{ID: st.ID("user"), Login: login, Name: host.OrElse(name, login), Email: strings.ToLower(login) + "@" + emailDomain,
		Created: now, Members: map[int64]string{}}
	st.Users[strings.ToLower(login)] = u
	return u
}

// emailDomain is the domain of all addresses.
const emailDomain = "bitbucket.test"

func (st *state) fullName(r *repository) string { return st.login(r.OwnerID) + "/" + r.Name }

func (st *state) repo(owner, name string) *repository {
	return host.First(maps.Values(st.Repos), func(r *repository) bool {
		return strings.EqualFold(st.login(r.OwnerID), owner) && strings.EqualFold(r.Name, name)
	})
}

var (
	errNoRepo    = errors.New("repository: no repository has this name")
	errNoPull    = errors.New("number: there is no such pull request")
	errNoComment = errors.New("comment: no comment has this id")
	errNoUser    = errors.New("login: there is no such account")
)

func (st *state) repoByFullName(full string) (*repository, error) {
	owner, name, _ := strings.Cut(full, "/")
	if r := st.repo(owner, name); r != nil {
		return r, nil
	}
	return nil, errNoRepo
}

func (st *state) find(full string, number int) (*repository, *pull, error) {
	r, err := st.repoByFullName(full)
	if err != nil {
		return nil, nil, err
	}
	if p := r.Pulls[number]; p != nil {
		return r, p, nil
	}
	return nil, nil, errNoPull
}

// comment returns the comment with an id, unless it was deleted.
func (p *pull) comment(id int64) *comment {
	return host.First(slices.Values(p.Comments), func(c *comment) bool { return c.ID == id && !c.Deleted })
}

// participant returns the entry of a person, and makes it for a new participant.
func (p *pull) participant(id int64) *participant {
	for _, x := range p.Participants {
		if x.User == id {
			return x
		}
	}
	x := &participant{User: id}
	p.Participants = append(p.Participants, x)
	return x
}

// rank orders the roles in a repository.
var rank = map[string]int{"none": 0, "read": 1, "write": 2, "admin": 3}

// role returns the role of an account in a repository. Owners of the workspace are admins; members read.
func (st *state) role(u *user, r *repository) string {
	role := "none"
	if !r.Private {
		role = "read"
	}
	if u == nil {
		return role
	}
	if r.OwnerID == u.ID {
		return "admin"
	}
	better := func(x string) {
		if rank[x] > rank[role] {
			role = x
		}
	}
	better(r.Collaborators[u.ID])
	if w := st.userByID(r.OwnerID); w != nil {
		better(map[string]string{"owner": "admin", "member": "read"}[w.Members[u.ID]])
	}
	return role
}
