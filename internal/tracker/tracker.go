// Package tracker is the port to issue trackers: what is read of an issue, and the
// two things that are written back. Its leaves are the adapters (jira, linear,
// azureboards), each the only package that knows the words of its tracker.
//
// Everything that comes from a tracker is text from outside: data, never
// instruction. Adapters bound it in size, depth, count and time before they hand it
// on, and turn formatted text (ADF, wiki text, HTML) into Markdown that keeps
// headings, lists, check boxes and table rows, because acceptance criteria stand in
// them.
package tracker

import (
	"context"
	"net/http"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/secret"
)

// Bounds of what is read (design choices). What is beyond is cut, and said in the
// field that tells so, or left out of a list.
const (
	MaxText     = 64 << 10 // bytes of a description, or of a criteria field, as Markdown
	MaxComments = 20       // the newest comments of an issue
	MaxComment  = 4 << 10  // bytes of one comment
	MaxProjects = 500      // projects of an account
	MaxLinks    = 50       // links of an issue, or issues of a pull request
	MaxAnswer   = 8 << 20  // bytes of one answer of a tracker
	MaxTitle    = 500      // characters of a title
	MaxKey      = 64       // bytes of an issue key, such as PAY-123 or 4711
)

// Account is who a credential belongs to.
type Account struct {
	ID   string // the tracker's id
	Name string // as people read it
}

// Project is a project (Jira, Azure Boards) or a team (Linear).
type Project struct {
	Key  string // what stands before the number in issue keys; for Azure Boards the name
	Name string
}

// Want says what is read of an issue beside what every issue has.
type Want struct {
	CriteriaField string // id of the field that holds acceptance criteria; "" for none
	Comments      bool
	Links         bool // pull requests that the tracker links, where they take a request of their own
}

// Issue is an issue, or work item.
type Issue struct {
	Key     string // as people write it: PAY-123, ENG-4; for Azure Boards the number
	ID      string // the tracker's own id, stable when an issue moves to another project
	Project string // key of its project
	URL     string // where people read it
	Type    string // in the tracker's words: Bug, Story, …; "" where it has none
	State   string // in the tracker's words
	Done    bool   // the tracker itself counts the state as done
	Title   string
	// Description is Markdown of at most [MaxText] bytes; Cut says that there was more.
	Description string
	Cut         bool
	// Criteria is the text of [Want.CriteriaField] as Markdown; CriteriaKnown says that
	// the field is there, be it empty.
	Criteria      string
	CriteriaKnown bool
	Parent        string // key of the parent; "" for none
	Comments      []Comment
	PullRequests  []string // addresses of pull requests that the tracker itself links, at most [MaxLinks]; empty where it does not tell
	UpdatedAt     time.Time
}

// Comment is a comment of an issue.
type Comment struct {
	ID     string
	Author string
	Own    bool // written by the account of the credential
	Text   string
	At     time.Time
}

// Link is a link from an issue to a pull request.
type Link struct {
	ID    string // ours, at most 255 characters: the same link again has the same id
	URL   string
	Title string
}

// Reader reads a tracker. Methods are safe for concurrent use, retry nothing, and
// return [*Error]s. Keys that an adapter cannot have issued are [ClassNotFound]
// without a request.
type Reader interface {
	// Who asks whose the credential is.
	Who(ctx context.Context) (Account, error)
	// Projects lists what the account sees, at most [MaxProjects], in the order of keys.
	Projects(ctx context.Context) ([]Project, error)
	// Issue reads an issue by its key. [ClassNotFound]: it is not there, or the account
	// must not see it.
	Issue(ctx context.Context, key string, want Want) (Issue, error)
	// Newest reads the n issues of a project that were changed last, newest first; n is
	// at most 20.
	Newest(ctx context.Context, project string, n int, want Want) ([]Issue, error)
	// LinkedTo returns the keys of issues that the tracker itself links to the pull
	// request at an address, at most [MaxLinks]; nil where a tracker cannot be asked so.
	LinkedTo(ctx context.Context, pullRequest string) ([]string, error)
}

// Writer writes back to a tracker. An unclear outcome is [ClassAmbiguous]: who
// called looks before writing again.
type Writer interface {
	// FindComment returns the id of our comment that carries a marker, "" where there is
	// none, and whether it can say so surely: a list that is longer than what is read
	// ends in false.
	FindComment(ctx context.Context, key, marker string) (id string, sure bool, err error)
	// PutComment writes a comment of Markdown text, a new one where id is "", and returns
	// its id. The marker stands in it where FindComment finds it and people do not mind.
	PutComment(ctx context.Context, key, id, text, marker string) (string, error)
	// PutLink links an issue to a pull request; the same link again changes nothing.
	PutLink(ctx context.Context, key string, link Link) error
}

// Tracker is both.
type Tracker interface {
	Reader
	Writer
}

// Config is what an adapter is made of.
type Config struct {
	Kind    domain.ConnectionKind
	BaseURL string // as the connection has it, without a slash at its end
	// Client sends the requests; it comes from internal/outbound, which guards addresses.
	Client *http.Client
	// Email goes with API tokens of Jira Cloud, "" else.
	Email string
	// Token returns the credential of a request. It may ask the database and, with
	// OAuth, the tracker: it is called once a request and keeps what it can itself.
	Token func(ctx context.Context) (secret.Secret, error)
	// Bearer says that Token is an access token of OAuth, not a key of a person.
	Bearer bool
}

// Hook is what the headers of a delivery say; nothing of it is proven.
type Hook struct {
	Event    string // in the tracker's words; "" where only the body says it
	Delivery string // the tracker's id of the delivery; "" where it gives none
	Proof    bool   // there is something that may prove the delivery
}

// Event is what a proven delivery is about. Nothing but the key is believed: the
// issue is read again.
type Event struct {
	Name    string // in the tracker's words
	Key     string // of the issue; "" where it is about none
	Project string
	Issue   bool      // about an issue itself: made, changed or deleted
	Deleted bool      // the tracker says that the issue is gone
	SentAt  time.Time // when the tracker says that it sent it; zero where it does not say
}

// Hooks reads the deliveries of a kind of tracker. Its functions are pure.
type Hooks struct {
	// Read reads the headers; its error names the header and repeats no value.
	Read func(h http.Header) (Hook, error)
	// Verify checks that one of the secrets proves the body, in a time that does not
	// depend on which.
	Verify func(h http.Header, body []byte, secrets []secret.Secret) error
	// Parse reads a proven body of at most 25 MiB.
	Parse func(h http.Header, body []byte) (Event, error)
}
