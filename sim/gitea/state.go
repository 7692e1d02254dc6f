package gitea

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/assay-dev/assay/sim/gitea/simapi"
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
	Users        map[string]*user  // by lower-case login
	Tokens       map[string]*token // by the hash of the text
	Teams        map[int64]*team
	Repos        map[int64]*repository
	Moved        map[string]int64 // former lower-case full names of repositories
	Renamed      map[string]int64 // former lower-case logins of accounts that no other account has taken
	Hooks        map[int64]*hook
	signin.State // of sign-ins
}

type user struct {
	ID      int64
	Login   string
	Name    string
	Org     bool
	Admin   bool
	Blocked bool
	Created micros
	Labels  []*label // of an organisation
}

// kind returns the type of account in pages and payloads.
func (u *user) kind() string {
	if u.Org {
		return "Organization"
	}
	return "User"
}

type token struct {
	ID      int64
	UserID  int64
	Name    string
	Scopes  []string
	Created micros
	Expires int64 // seconds; 0 never
}

// team is a team of an organisation. The owners have the permission "owner".
type team struct {
	ID         int64
	OrgID      int64
	Name       string
	Permission string
	All        bool // all repositories of the organisation
	RepoIDs    []int64
	Members    []string
}

type hook struct {
	ID, RepoID, OrgID int64
	URL, Secret       string
	ContentType       string
	Authorization     string
	BranchFilter      string
	Events            []string // types, as the host stores them
	Active            bool
	Created, Updated  micros
}

type repository struct {
	ID            int64
	Owner, Name   string
	Description   string
	Private       bool
	Archived      bool
	DefaultBranch string
	ForkOf        int64
	GitID         int64             // repository with its objects: itself, or the one that it was forked from
	Collaborators map[string]string // login to read, write, admin
	NextNumber    int
	Created       micros
	Updated       micros
	Pulls         map[int]*pull
	Statuses      []*status
	Labels        []*label
	Runs          []*host.WorkflowRun
	Protected     []string      // no pushes allowed
	Required      []string      `json:",omitempty"` // statuses without which nothing merges
	Issues        []*host.Issue `json:",omitempty"`

	git *gitrepo.Repo // set when the state is loaded or the repository is made; constant afterwards
}

// FullName returns "owner/name".
func (r *repository) FullName() string { return r.Owner + "/" + r.Name }

type label struct {
	ID                       int64
	Name, Color, Description string
}

type pull struct {
	ID, IssueID   int64
	Number        int
	Title, Body   string
	Author        string
	State         string // open, closed
	Merged        micros
	MergedBy      string
	MergeSHA      string
	BaseRef, Head string
	HeadRepoID    int64 // the repository itself or a fork
	Branchless    bool  // pushed to refs/for/…
	BaseSHA       string
	MergeBase     string
	HeadSHA       string
	Labels        []int64
	Created       micros
	Updated       micros
	Closed        micros
	Reviews       []*review
	Comments      []*inline
	IssueComments []*issueComment
	Events        []timelineEvent
	Mails         []simapi.Mail // about its reviews, oldest first
}

// timelineEvent is a line of the conversation page that is neither a review nor a comment.
type timelineEvent struct {
	At    micros
	Actor string
	Text  string
	SHA   string
}

// review is a review, or a request for one (stateRequest).
type review struct {
	ID        int64
	User      string
	Body      string
	State     string
	CommitID  string
	Dismissed bool
	Created   micros
	Updated   micros
	Lag       string // id of the lag that hides it from lists
	Shown     []*shown
}

// States of reviews, as the REST interface names them.
const (
	statePending  = "PENDING"
	stateComment  = "COMMENT"
	stateApproved = "APPROVED"
	stateChanges  = "REQUEST_CHANGES"
	stateRequest  = "REQUEST_REVIEW"
)

// inline is an inline comment. Line is negative on the old side.
type inline struct {
	ID, ReviewID     int64
	User             string
	Path             string
	Line             int
	DiffHunk         string
	Body             string
	CommitID         string
	MergeBase        string // at the time of writing
	Reply            bool
	ResolvedBy       string
	Reactions        host.Reactions
	Created, Updated micros
	Lag              string
}

type issueComment struct {
	ID               int64
	User             string
	Body             string
	Created, Updated micros
	Lag              string
}

type status struct {
	ID                     int64
	SHA, State, Context    string
	Description, TargetURL string
	Creator                string
	Created, Updated       micros
	Lag                    string
}

func newState() *state {
	return &state{BaseState: host.NewBaseState(1, firstIDs), Users: map[string]*user{}, Tokens: map[string]*token{}, Teams: map[int64]*team{},
		Repos: map[int64]*repository{}, Moved: map[string]int64{}, Renamed: map[string]int64{}, Hooks: map[int64]*hook{},
		State: signin.NewState()}
}

// firstIDs are small, as on a self-hosted server, and differ between kinds, so that mix-ups show.
var firstIDs = map[string]int64{"user": 11, "token": 31, "team": 51, "repository": 71, "pull": 101, "issue": 151, "review": 201,
	"comment": 301,
	"status":  401, "label": 501, "run": 651, "job": 681, "hook": 601, "delivery": 701, "reaction": 751, "client": 801}

func (st *state) user(login string) *user { return st.Users[strings.ToLower(login)] }

func (st *state) userByID(id int64) *user {
	return host.First(maps.Values(st.Users), func(u *user) bool { return u.ID == id })
}

func (st *state) addUser(login, name string, org bool, now micros) *user {
	if u := st.user(login); u != nil {
		return u
	}
	u := &user{ID: st.ID("user"), Login: login, Name: name, Org: org, Created: now}
	st.Users[strings.ToLower(login)] = u
	delete(st.Renamed, strings.ToLower(login)) // the name no longer leads to the former account or its repositories
	maps.DeleteFunc(st.Moved, func(name string, _ int64) bool { return strings.HasPrefix(name, strings.ToLower(login)+"/") })
	if org {
		t := &team{ID: st.ID("team"), OrgID: u.ID, Name: ownersTeam, Permission: "owner", All: true}
		st.Teams[t.ID] = t
	}
	return u
}

// ownersTeam is the name of the team that every organisation has.
const ownersTeam = "Owners"

func (st *state) repo(owner, name string) *repository {
	return host.First(maps.Values(st.Repos), func(r *repository) bool {
		return strings.EqualFold(r.Owner, owner) &&
			strings.EqualFold(r.Name, name)
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

func (p *pull) review(id int64) *review {
	return host.First(slices.Values(p.Reviews), func(r *review) bool { return r.ID == id })
}

func (p *pull) comment(id int64) *inline {
	return host.First(slices.Values(p.Comments), func(c *inline) bool { return c.ID == id })
}

// current returns a person's pending review, which all further comments and reviews of that person join.
func (p *pull) current(login string) *review {
	return host.First(slices.Values(p.Reviews), func(r *review) bool { return r.State == statePending && r.User == login })
}

// pending reports whether an inline comment belongs to an unsubmitted review.
func (p *pull) pending(c *inline) bool {
	r := p.review(c.ReviewID)
	return r != nil && r.State == statePending
}

// commentsOf returns the inline comments of a review by id.
func (p *pull) commentsOf(id int64) (list []*inline) {
	for _, c := range p.Comments {
		if c.ReviewID == id {
			list = append(list, c)
		}
	}
	return list
}

// requested returns the logins of the requested reviewers, in order.
func (p *pull) requested() (logins []string) {
	for _, r := range p.Reviews {
		if r.State == stateRequest {
			logins = append(logins, r.User)
		}
	}
	return logins
}

// wip are the prefixes of titles that mark a draft (the host's setting WORK_IN_PROGRESS_PREFIXES).
var wip = []string{"WIP:", "[WIP]"}

// draft reports whether the title marks the pull request as a draft.
func (p *pull) draft() bool { return wipPrefix(p.Title) != "" }

func wipPrefix(title string) string {
	for _, w := range wip {
		if len(title) >= len(w) && strings.EqualFold(title[:len(w)], w) {
			return title[:len(w)]
		}
	}
	return ""
}
