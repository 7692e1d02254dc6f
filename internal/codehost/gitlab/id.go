package gitlab

import (
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/regexp"
)

// A note is asked for by the number of its merge request, and answered in its
// discussion, so the id of a comment as the port has it names all three: "7.301" is a
// note of the conversation of merge request 7, "7.302.6a9c…" one of a discussion with
// that id. Which of the two a note has is decided by its type, which does not change.

// discussionForm is the id of a discussion: the SHA-1 in hexadecimal digits
// (app/models/discussion.rb of gitlab-org/gitlab); others are taken as they are.
var discussionForm = regexp.MustCompile(`^[0-9A-Za-z]{1,80}$`)

// noteID is the place of a note.
type noteID struct {
	number     int // of the merge request, 0 where the id does not say
	note       int64
	discussion string
}

func (n noteID) id() domain.HostID {
	out := strconv.Itoa(n.number) + "." + strconv.FormatInt(n.note, 10)
	if n.discussion != "" {
		out += "." + n.discussion
	}
	return domain.HostID(out)
}

// parseNote reads the id of a comment. What is none of this adapter's names nothing that is there.
func parseNote(op string, id domain.HostID) (noteID, error) {
	parts := strings.Split(string(id), ".")
	var out noteID
	if len(parts) == 2 || len(parts) == 3 {
		number, ok1 := domain.HostID(parts[0]).Number()
		note, ok2 := domain.HostID(parts[1]).Number()
		if ok1 && ok2 && number > 0 && number < 1<<31 && note > 0 && (len(parts) == 2 || discussionForm.MatchString(parts[2])) {
			out = noteID{number: int(number), note: note}
			if len(parts) == 3 {
				out.discussion = parts[2]
			}
			return out, nil
		}
	}
	return noteID{}, &codehost.Error{Class: codehost.ClassNotFound, Op: op, Message: "this is not an id of a comment of this host"}
}

// pathPart is one part of the path of a group or project, or the login of a user
// (docs.gitlab.com/user/reserved_names, "Limitations on usernames, project and group
// names, and slugs").
var pathPart = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,254}$`)

// maxParts is how deep groups are nested, the project among them
// (docs.gitlab.com/user/group/subgroups: 20 levels).
const maxParts = 21

// validGroup reports whether a text can be the full path of a group, or a login.
func validGroup(s string) bool {
	parts := strings.Split(s, "/")
	if len(parts) > maxParts || len(s) > codehost.MaxPath {
		return false
	}
	for _, p := range parts {
		if !pathPart.MatchString(p) {
			return false
		}
	}
	return true
}

// validLogin reports whether a text can be the login of a user.
func validLogin(s string) bool { return pathPart.MatchString(s) }

// checkRepo keeps what is no path of a project out of paths.
func checkRepo(op string, r codehost.Repo) error {
	if !validGroup(r.Owner) || !pathPart.MatchString(r.Name) {
		return codehost.Refused(op, "owner and name must be those of a project")
	}
	return nil
}

// checkPull is [checkRepo] for what is asked about one of its merge requests.
func checkPull(op string, r codehost.Repo, number int) error {
	if number <= 0 {
		return codehost.Refused(op, "the merge request's number must be positive")
	}
	return checkRepo(op, r)
}

// checkBranch is [checkRepo] for what is asked about one of its branches.
func checkBranch(op string, r codehost.Repo, branch string) error {
	if err := checkRepo(op, r); err != nil {
		return err
	}
	return codehost.CheckBranch(op, branch)
}

// unexpected is an answer that cannot be what was asked for.
func unexpected(op, message string) error {
	return &codehost.Error{Class: codehost.ClassUnavailable, Op: op, Message: message}
}

// robot is the form of logins that belong to access tokens of projects and groups, and to
// service accounts (docs.gitlab.com/user/project/settings/project_access_tokens, "Bot users
// for projects"; docs.gitlab.com/user/profile/service_accounts): the API does not say of whom it mentions that it is no person.
var robot = regexp.MustCompile(`^((project|group)_[0-9]+_bot[0-9A-Za-z_]*|service_account_[0-9A-Za-z_]+)$`)

func isRobot(login string) bool { return robot.MatchString(login) || login == "ghost" }
