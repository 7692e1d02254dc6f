package gitlab

import (
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/regexp"
)

// Notes are requested by the number of their merge request and answered in their discussion, so the port's
// id of a comment contains all three. "7.301" is a note of the conversation of merge request 7, and
// "7.302.6a9c…" is one in the discussion with that id. The type of a note, which never changes, decides
// between the forms.

// discussionForm is the id of a discussion: a SHA-1 in hexadecimal digits (app/models/discussion.rb of
// gitlab-org/gitlab). It accepts other forms, too.
var discussionForm = regexp.MustCompile(`^[0-9A-Za-z]{1,80}$`)

// noteID identifies a note.
type noteID struct {
	number     int // of the merge request, 0 if the id lacks it
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

// parseNote reads the id of a comment. An id in another form is [codehost.ClassNotFound].
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

// pathPart matches one part of the path of a group or project, or the login of a user
// (docs.gitlab.com/user/reserved_names, "Limitations on usernames, project and group names, and slugs").
var pathPart = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,254}$`)

// maxParts is the most nested groups, including the project (docs.gitlab.com/user/group/subgroups: 20
// levels).
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

// checkRepo returns an error for a path that cannot be a project's, to keep it out of request paths.
func checkRepo(op string, r codehost.Repo) error {
	if !validGroup(r.Owner) || !pathPart.MatchString(r.Name) {
		return codehost.Refused(op, "owner and name must be those of a project")
	}
	return nil
}

// checkPull is [checkRepo] with a merge request's number, which must be positive.
func checkPull(op string, r codehost.Repo, number int) error {
	if number <= 0 {
		return codehost.Refused(op, "the merge request's number must be positive")
	}
	return checkRepo(op, r)
}

// checkBranch is [checkRepo] with the name of a branch.
func checkBranch(op string, r codehost.Repo, branch string) error {
	if err := checkRepo(op, r); err != nil {
		return err
	}
	return codehost.CheckBranch(op, branch)
}

// unexpected returns the error for an answer of the wrong kind.
func unexpected(op, message string) error {
	return &codehost.Error{Class: codehost.ClassUnavailable, Op: op, Message: message}
}

// robotLogin matches logins of project and group access tokens and of service accounts
// (docs.gitlab.com/user/project/settings/project_access_tokens, "Bot users for projects";
// docs.gitlab.com/user/profile/service_accounts), because the API does not mark mentioned accounts as bots.
var robotLogin = regexp.MustCompile(`^((project|group)_[0-9]+_bot[0-9A-Za-z_]*|service_account_[0-9A-Za-z_]+)$`)

func isRobot(login string) bool { return robotLogin.MatchString(login) || login == "ghost" }
