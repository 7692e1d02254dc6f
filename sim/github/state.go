package github

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/gitrepo"
)

// state is everything that the simulator stores, apart from git objects. Server.Mu guards it. All fields are
// exported for the JSON file only.
type state struct {
	host.BaseState
	TokenKey      []byte           // signs installation tokens
	Users         map[string]*user // by lower-case login
	Apps          map[int64]*app
	Installations map[int64]*installation
	Repos         map[int64]*repository
	Revoked       map[string]micros // hashes of revoked tokens
	Codes         map[string]*oauthCode
	UserTokens    map[string]*userToken    // by the hash of the access token
	Manifests     map[string]*manifestCode // by the code
}

type user struct {
	ID      int64
	Login   string
	Name    string
	Type    string // User, Organization, Bot
	Members map[string]string
	Token   string
	AppID   int64 // of a bot
	Created micros
}

type app struct {
	ID            int64
	Slug, Name    string
	ClientID      string
	ClientSecret  string
	CallbackURL   string
	SetupURL      string
	Public        bool
	OwnerLogin    string
	BotID         int64
	PublicKeyPEM  string
	HookID        int64
	WebhookURL    string
	WebhookSecret string
	Permissions   map[string]string
	Events        []string
	Created       micros
	Updated       micros
}

type installation struct {
	ID          int64
	AppID       int64
	Account     string
	All         bool
	RepoIDs     []int64
	Permissions map[string]string
	Events      []string
	SuspendedAt micros
	SuspendedBy string
	Created     micros
	Updated     micros
}

type repository struct {
	ID            int64
	Owner, Name   string
	Description   string
	Private       bool
	DefaultBranch string
	Collaborators map[string]string
	NextNumber    int
	Created       micros
	Updated       micros
	Pushed        micros
	Pulls         map[int]*pull
	CheckRuns     map[int64]*checkRun
	CheckSuites   map[int64]*checkSuite
	Statuses      []*status
	Labels        map[string]*label
	Runs          []*host.WorkflowRun
	Protected     []string      // branches that take changes by pull requests only
	Required      []string      // checks without which nothing merges
	Issues        []*host.Issue `json:",omitempty"`

	git *gitrepo.Repo // set when the state is loaded or the repository is made; constant afterwards
}

// FullName returns "owner/name".
func (r *repository) FullName() string { return r.Owner + "/" + r.Name }

type label struct {
	ID    int64
	Name  string
	Color string
}

type pull struct {
	ID, IssueID     int64
	Number          int
	Title, Body     string
	Author          string
	State           string // open, closed
	Draft           bool
	Merged          micros
	MergedBy        string
	MergeSHA        string
	BaseRef, Head   string
	Fork            string // login of the fork's owner; "" if the head is a branch of the repository
	ForkID          int64
	BaseSHA         string
	HeadSHA         string
	Heads           []string // all heads so far, oldest first
	Labels          []string
	Requested       []string
	Created         micros
	Updated         micros
	Closed          micros
	Reviews         []*review
	Comments        []*reviewComment
	IssueComments   []*issueComment
	Reactions       host.Reactions
	Events          []timelineEvent
	ResolvedThreads map[int64]string // root comment id to login
}

// timelineEvent is a line of the conversation page that is neither a review nor a comment.
type timelineEvent struct {
	At    micros
	Actor string
	Text  string
	SHA   string
}

type review struct {
	ID        int64
	User      string
	Body      string
	State     string // PENDING, COMMENTED, APPROVED, CHANGES_REQUESTED, DISMISSED
	CommitID  string
	Created   micros
	Submitted micros
	Edited    micros
	Lag       string // id of the lag that hides it from lists
}

type reviewComment struct {
	ID, ReviewID     int64
	User             string
	Path             string
	OldPath          string // of a renamed file
	Side, StartSide  string
	Line, StartLine  int // 0 when absent
	Position         int
	DiffHunk         string
	Body             string
	CommitID         string
	BaseSHA          string // merge base at the time of writing
	InReplyTo        int64
	SubjectType      string // line, file
	Created, Updated micros
	Reactions        host.Reactions
	Lag              string
}

type issueComment struct {
	ID               int64
	User             string
	AppID            int64
	Body             string
	Created, Updated micros
	Reactions        host.Reactions
	Lag              string
}

type reaction = host.Reaction

type checkSuite struct {
	ID      int64
	AppID   int64
	HeadSHA string
	Created micros
	Updated micros
}

type checkRun struct {
	ID, SuiteID, AppID   int64
	Name, HeadSHA        string
	ExternalID           string
	DetailsURL           string
	Status, Conclusion   string
	StartedAt, Completed micros
	Title, Summary, Text string
	HasOutput            bool
	Annotations          []map[string]any
	Actions              []map[string]any
	Updates              int
	Created              micros
	Lag                  string
}

type status struct {
	ID                     int64
	SHA, State, Context    string
	Description, TargetURL *string
	Creator                string
	Created                micros
	Lag                    string
}

func newState() *state {
	return &state{BaseState: host.NewBaseState(1, firstIDs), Users: map[string]*user{}, Apps: map[int64]*app{},
		Installations: map[int64]*installation{}, Repos: map[int64]*repository{}, Revoked: map[string]micros{}}
}

// firstIDs make ids look like those of the real host, and differ between kinds, so that mix-ups show.
var firstIDs = map[string]int64{"user": 21031000, "app": 1240001, "installation": 58300001, "repository": 186853001,
	"pull": 2790147001, "issue": 3190248001, "review": 2870361001, "review_comment": 2150482001, "issue_comment": 3340593001,
	"check_run": 52810614001, "check_suite": 48920725001, "status": 37830836001, "reaction": 310947001, "hook": 480158001,
	"delivery": 160025000001, "run": 19281744001, "job": 55102938001, "label": 6800369001, "fault": 1}

func (st *state) user(login string) *user { return st.Users[strings.ToLower(login)] }

func (st *state) userByID(id int64) *user {
	return host.First(maps.Values(st.Users), func(u *user) bool { return u.ID == id })
}

func (st *state) addUser(login, name, kind string, now micros) *user {
	if u := st.user(login); u != nil {
		return u
	}
	u := &user{ID: st.ID("user"), Login: login, Name: name, Type: kind, Created: now}
	st.Users[strings.ToLower(login)] = u
	return u
}

func (st *state) repo(owner, name string) *repository {
	return host.First(maps.Values(st.Repos), func(r *repository) bool {
		return strings.EqualFold(r.Owner, owner) &&
			strings.EqualFold(r.Name, name)
	})
}

func (st *state) repoByFullName(full string) (*repository, error) {
	owner, name, _ := strings.Cut(full, "/")
	if r := st.repo(owner, name); r != nil {
		return r, nil
	}
	return nil, fmt.Errorf("repository: no repository has this name")
}

// installationFor returns the installation of an app that covers a repository.
func (st *state) installationFor(appID int64, r *repository) *installation {
	return host.First(maps.Values(st.Installations), func(i *installation) bool { return i.AppID == appID && i.covers(r) })
}

func (i *installation) covers(r *repository) bool {
	if !strings.EqualFold(i.Account, r.Owner) {
		return false
	}
	if i.All {
		return true
	}
	for _, id := range i.RepoIDs {
		if id == r.ID {
			return true
		}
	}
	return false
}

func (p *pull) review(id int64) *review {
	return host.First(slices.Values(p.Reviews), func(r *review) bool { return r.ID == id })
}

func (p *pull) comment(id int64) *reviewComment {
	return host.First(slices.Values(p.Comments), func(c *reviewComment) bool { return c.ID == id })
}

// pending reports whether an inline comment belongs to an unsubmitted review.
func (p *pull) pending(c *reviewComment) bool {
	r := p.review(c.ReviewID)
	return r != nil && r.State == statePending
}

const (
	statePending   = "PENDING"
	stateCommented = "COMMENTED"
	stateApproved  = "APPROVED"
	stateChanges   = "CHANGES_REQUESTED"
	stateDismissed = "DISMISSED"
)
