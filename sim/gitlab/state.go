package gitlab

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/gitrepo"
	"github.com/assay-dev/assay/sim/host/signin"
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
	Users        map[int64]*user
	Groups       map[int64]*group
	Tokens       map[string]*token // by the hash of the text
	Projects     map[int64]*project
	Moved        map[string]int64 // former lower-case paths of projects
	Hooks        map[int64]*hook
	signin.State // of sign-ins
}

type user struct {
	ID      int64
	Login   string
	Name    string
	Admin   bool
	Bot     bool // of a project's or group's access token
	Blocked bool
	Created micros
}

// group is a group; a path with slashes makes it a subgroup.
type group struct {
	ID      int64
	Path    string // full
	Name    string
	Members map[int64]int // user to access level, direct members only
	Created micros
}

type token struct {
	ID      int64
	UserID  int64
	Name    string
	Scopes  []string
	Created micros
	Expires string // a date; "" never
	Ends    int64  // of a sign-in: seconds; 0 never
	Revoked bool
}

type hook struct {
	ID, ProjectID     int64
	URL               string
	Name, Description string
	Token             string
	SigningToken      string
	Events            []string // without "_events"
	SSLVerification   bool
	Failures          int    // in a row
	DisabledUntil     micros // 0: not
	Disabled          bool   // for good
	Created           micros
}

type project struct {
	ID            int64
	Namespace     string // full path of the group, or login of the person
	Path          string
	Description   string
	Private       bool
	Archived      bool
	DefaultBranch string
	ForkOf        int64
	GitID         int64         // project with its objects: itself, or the one that it was forked from
	Members       map[int64]int // user to access level, direct members only
	Shares        map[int64]int // group to the highest access level of its members here
	NextIID       int
	Created       micros
	Updated       micros
	MRs           map[int]*mergeRequest
	Statuses      []*status
	Labels        []*label
	Pipelines     []*host.WorkflowRun
	Protected     []string      // no pushes allowed
	Required      []string      `json:",omitempty"` // statuses without which nothing merges
	Issues        []*host.Issue `json:",omitempty"`
	Tracker       bool          `json:",omitempty"` // issues are in an external tracker

	git *gitrepo.Repo // set when the state is loaded or the project is made; constant afterwards
}

// FullPath returns "group/sub/project".
func (p *project) FullPath() string { return p.Namespace + "/" + p.Path }

type label struct {
	ID          int64
	Name, Color string
}

type status struct {
	ID                     int64
	SHA, Ref, State, Name  string
	Description, TargetURL string
	Creator                int64
	Created                micros
	Lag                    string
}

type mergeRequest struct {
	ID          int64
	IID         int
	Title, Body string
	Author      int64
	State       string // opened, closed, merged
	Source      string
	Target      string
	SourceID    int64 // the project itself or a fork
	Labels      []string
	Reviewers   []*reviewer
	Created     micros
	Updated     micros
	Closed      micros
	Merged      micros
	MergedBy    int64
	MergeCommit string
	Versions    []*version // newest last
	Drafts      []*draft
	Discussions []*discussion
	Prepared    bool
}

// version is the state of a merge request after a push.
type version struct {
	ID                int64
	Base, Start, Head string // merge base, tip of the target branch at that time, head
	Created           micros
}

// now returns the newest version.
func (m *mergeRequest) now() *version { return m.Versions[len(m.Versions)-1] }

// draft reports whether the title marks a draft (docs.gitlab.com/user/project/merge_requests/drafts).
func (m *mergeRequest) draft() bool { return draftTitle.MatchString(m.Title) }

var draftTitle = regexp.MustCompile(`(?i)^\s*(\[draft\]|draft:|\(draft\))`)

type reviewer struct {
	UserID  int64
	State   string // unreviewed, reviewed, approved
	Created micros
}

// position is the place of a note. A line of 0 means no line.
type position struct {
	Base, Start, Head string
	Type              string // text or file
	OldPath, NewPath  string
	OldLine, NewLine  int
	Range             *lineRange
	Code              string // of the line; "" if the place is invalid
}

type lineRange struct {
	Start rangeEnd `json:"start"`
	End   rangeEnd `json:"end"`
}

type rangeEnd struct {
	LineCode string `json:"line_code"`
	Type     string `json:"type"`
	OldLine  int    `json:"old_line"`
	NewLine  int    `json:"new_line"`
}

// draft is a draft note. Only its author sees it.
type draft struct {
	ID         int64
	User       int64
	Body       string
	Commit     string
	Discussion string // the discussion that it answers
	Resolve    bool
	Position   *position
	Nowhere    bool // the place is invalid, so publishing makes no note
	Lag        string
}

type discussion struct {
	ID    string
	Alone bool // a note of the conversation that cannot be answered
	Notes []*note
}

// Types of notes, as the interface names them.
const (
	plainNote      = ""
	diffNote       = "DiffNote"
	discussionNote = "DiscussionNote"
)

type note struct {
	ID               int64
	Type             string
	User             int64
	Body             string
	System           bool
	Position         *position
	Written          *position `json:",omitempty"` // the first position, if a push has moved it
	ResolvedBy       int64
	Reactions        host.Reactions
	Created, Updated micros
	Lag              string
}

func newState() *state {
	return &state{BaseState: host.NewBaseState(1, firstIDs), Users: map[int64]*user{}, Groups: map[int64]*group{}, Tokens: map[string]*token{},
		Projects: map[int64]*project{}, Moved: map[string]int64{}, Hooks: map[int64]*hook{}, State: signin.NewState()}
}

// firstIDs differ between kinds, so that mix-ups show.
var firstIDs = map[string]int64{"user": 11, "group": 131, "token": 31, "project": 71, "mr": 1001, "version": 1101, "draft": 1201,
	"note":   1301,
	"status": 1401, "label": 501, "run": 651, "job": 681, "hook": 601, "delivery": 701, "reaction": 751, "client": 801}

func (st *state) user(login string) *user {
	return host.First(maps.Values(st.Users), func(u *user) bool { return strings.EqualFold(u.Login, login) })
}

// login returns the login of an account, "ghost" if it is gone.
func (st *state) login(id int64) string {
	if u := st.Users[id]; u != nil {
		return u.Login
	}
	return "ghost"
}

func (st *state) group(path string) *group {
	return host.First(maps.Values(st.Groups), func(g *group) bool { return strings.EqualFold(g.Path, path) })
}

func (st *state) addUser(login, name string, now micros) *user {
	if u := st.user(login); u != nil {
		return u
	}
	u := &user{ID: st.ID("user"), Login: login, Name: host.OrElse(name, login), Created: now}
	st.Users[u.ID] = u
	return u
}

func (st *state) project(path string) *project {
	return host.First(maps.Values(st.Projects), func(p *project) bool { return strings.EqualFold(p.FullPath(), path) })
}

var (
	errNoProject = errors.New("project: no project has this path")
	errNoMR      = errors.New("number: there is no such merge request")
	errNoUser    = errors.New("login: there is no such account")
)

// named returns the project with a path.
func (st *state) named(path string) (*project, error) {
	if p := st.project(path); p != nil {
		return p, nil
	}
	return nil, errNoProject
}

func (st *state) find(path string, iid int) (*project, *mergeRequest, error) {
	p := st.project(path)
	if p == nil {
		return nil, nil, errNoProject
	}
	m := p.MRs[iid]
	if m == nil {
		return nil, nil, errNoMR
	}
	return p, m, nil
}

// Access levels (docs.gitlab.com/api/members, "Known issues" and valid access levels).
const (
	guest      = 10
	reporter   = 20
	developer  = 30
	maintainer = 40
	owner      = 50
)

// groupLevel returns a person's level in a group, from this group or one above it.
func (st *state) groupLevel(u *user, path string) int {
	best := 0
	for _, g := range st.Groups {
		if strings.EqualFold(g.Path, path) || strings.HasPrefix(strings.ToLower(path), strings.ToLower(g.Path)+"/") {
			best = max(best, g.Members[u.ID])
		}
	}
	return best
}

// level returns a person's level in a project: the highest one of the project and its groups.
func (st *state) level(u *user, p *project) int {
	switch {
	case u == nil || u.Blocked:
		return 0
	case u.Admin || strings.EqualFold(u.Login, p.Namespace):
		return owner
	}
	best := max(p.Members[u.ID], st.groupLevel(u, p.Namespace))
	for id, most := range p.Shares {
		if g := st.Groups[id]; g != nil {
			best = max(best, min(most, st.groupLevel(u, g.Path)))
		}
	}
	return best
}

// sees reports whether a person may see a project, and whether also its code, which a guest of a private
// project must not.
func (st *state) sees(u *user, p *project) (sees, code bool) {
	level := st.level(u, p)
	return level > 0 || !p.Private, level >= reporter || !p.Private
}

// note finds a note of a merge request and its discussion.
func (m *mergeRequest) note(id int64) (*discussion, *note) {
	for _, d := range m.Discussions {
		for _, n := range d.Notes {
			if n.ID == id {
				return d, n
			}
		}
	}
	return nil, nil
}

func (m *mergeRequest) discussion(id string) *discussion {
	at := slices.IndexFunc(m.Discussions, func(d *discussion) bool { return d.ID == id })
	if at < 0 {
		return nil
	}
	return m.Discussions[at]
}
