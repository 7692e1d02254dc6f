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

// state is everything that the simulator remembers, apart from git objects. Server.Mu guards it. All fields are exported for
// the JSON file only.
type state struct {
	host.BaseState
	Users        map[int64]*user
	Groups       map[int64]*group
	Tokens       map[string]*token // by the hash of the text
	Projects     map[int64]*project
	Moved        map[string]int64 // lower-case paths that a project had before
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

// group is a group, or a subgroup where its path has slashes.
type group struct {
	ID      int64
	Path    string // full
	Name    string
	Members map[int64]int // user to access level, given here
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
	GitID         int64         // whose objects it has: its own id, or that of the project it was forked from
	Members       map[int64]int // user to access level, given here
	Shares        map[int64]int // group to the access level that its members have at most
	NextIID       int
	Created       micros
	Updated       micros
	MRs           map[int]*mergeRequest
	Statuses      []*status
	Labels        []*label
	Pipelines     []*host.WorkflowRun
	Protected     []string // branches to which nobody may push
	Tracker       bool     `json:",omitempty"` // issues are those of a tracker elsewhere

	git *gitrepo.Repo // set when the state is loaded or the project made; never changed afterwards
}

// FullPath is "group/sub/project".
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
	Versions    []*version // the newest last
	Drafts      []*draft
	Discussions []*discussion
	Prepared    bool
}

// version is what a push made of a merge request.
type version struct {
	ID                int64
	Base, Start, Head string // merge base, tip of the target branch at that time, head
	Created           micros
}

// now is the newest version.
func (m *mergeRequest) now() *version { return m.Versions[len(m.Versions)-1] }

// draft reports whether the title marks a draft (docs.gitlab.com/user/project/merge_requests/drafts).
func (m *mergeRequest) draft() bool { return draftTitle.MatchString(m.Title) }

var draftTitle = regexp.MustCompile(`(?i)^\s*(\[draft\]|draft:|\(draft\))`)

type reviewer struct {
	UserID  int64
	State   string // unreviewed, reviewed, approved
	Created micros
}

// position is where a note stands. A line of 0 is none.
type position struct {
	Base, Start, Head string
	Type              string // text or file
	OldPath, NewPath  string
	OldLine, NewLine  int
	Range             *lineRange
	Code              string // of the line; "" where the place is none
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
	Discussion string // that it answers
	Resolve    bool
	Position   *position
	Nowhere    bool // the place is none: no note is made of it
	Lag        string
}

type discussion struct {
	ID    string
	Alone bool // a note of the conversation, in which nobody answers
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
	ResolvedBy       int64
	Created, Updated micros
	Lag              string
}

func newState() *state {
	return &state{BaseState: host.NewBaseState(1, firstIDs), Users: map[int64]*user{}, Groups: map[int64]*group{}, Tokens: map[string]*token{},
		Projects: map[int64]*project{}, Moved: map[string]int64{}, Hooks: map[int64]*hook{}, State: signin.NewState()}
}

// firstIDs differ between kinds, so that mixing them up shows.
var firstIDs = map[string]int64{"user": 11, "group": 131, "token": 31, "project": 71, "mr": 1001, "version": 1101, "draft": 1201, "note": 1301,
	"status": 1401, "label": 501, "run": 651, "job": 681, "hook": 601, "delivery": 701, "client": 801}

func (st *state) user(login string) *user {
	return host.First(maps.Values(st.Users), func(u *user) bool { return strings.EqualFold(u.Login, login) })
}

// login is the name of an account, "ghost" where it is gone.
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
	errNoProject = errors.New("project: there is none with that path")
	errNoMR      = errors.New("number: there is no such merge request")
	errNoUser    = errors.New("login: there is no such account")
)

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

// groupLevel is what a person is in a group, by this group or one above it.
func (st *state) groupLevel(u *user, path string) int {
	best := 0
	for _, g := range st.Groups {
		if strings.EqualFold(g.Path, path) || strings.HasPrefix(strings.ToLower(path), strings.ToLower(g.Path)+"/") {
			best = max(best, g.Members[u.ID])
		}
	}
	return best
}

// level is what a person may do in a project: the highest of what is given there and in its groups.
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

// sees reports whether a person may see a project at all; code says whether its code, too, which a guest of a private one may not.
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
