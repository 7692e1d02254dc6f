package bitbucketserver

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/regexp"
)

// Keys of projects have letters, digits and "_"; slugs also "." and "-". A person's own project has the key
// "~" and the slug of the person.
var (
	keyForm  = regexp.MustCompile(`^~?[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`)
	slugForm = regexp.MustCompile(`^[A-Za-z0-9._-]{1,128}$`)
)

func validOwner(s string) bool { return keyForm.MatchString(s) }

// validLogin reports whether a text can be the login of a person: any text of one path segment
// (names of people come from directories).
func validLogin(s string) bool {
	return s != "" && len(s) <= 255 && !strings.ContainsAny(s, "/\\\x00\r\n\t") && strings.Trim(s, ".") != ""
}

// slugOf returns the slug of a login: the host writes it in lower case, and other characters as "_".
func slugOf(login string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || strings.ContainsRune("._-", r) {
			return r
		}
		return '_'
	}, strings.ToLower(login))
}

// checkRepo returns an error for names that cannot be a repository's, to keep them out of request paths.
func checkRepo(op string, r codehost.Repo) error {
	if !validOwner(r.Owner) || !slugForm.MatchString(r.Name) || strings.Trim(r.Name, ".") == "" {
		return codehost.Refused(op, "owner and name must be the key of a project and the slug of a repository")
	}
	return nil
}

// checkPull is [checkRepo] with a pull request's number, which must be positive.
func checkPull(op string, r codehost.Repo, number int) error {
	if number <= 0 {
		return codehost.Refused(op, "the pull request's number must be positive")
	}
	return checkRepo(op, r)
}

// at returns the path of a repository below a root of the interface.
func at(root string, r codehost.Repo) string {
	return root + "/projects/" + url.PathEscape(r.Owner) + "/repos/" + url.PathEscape(r.Name)
}

// pullPath returns the path of a pull request.
func pullPath(r codehost.Repo, number int) string {
	return at(api, r) + "/pull-requests/" + itoa(number)
}

// notePath returns the path of a comment.
func notePath(r codehost.Repo, n wire.NoteID) string {
	return pullPath(r, n.Number) + "/comments/" + strconv.FormatInt(n.Note, 10)
}

func notFound(op, message string) error {
	return &codehost.Error{Class: codehost.ClassNotFound, Op: op, Message: message}
}

// unexpected returns the error for an answer of the wrong kind.
func unexpected(op, message string) error {
	return &codehost.Error{Class: codehost.ClassUnavailable, Op: op, Message: message}
}

func itoa(n int) string { return strconv.Itoa(n) }
