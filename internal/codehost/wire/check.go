package wire

import (
	"cmp"
	"net/url"
	"regexp"
	"strings"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/secret"
)

// nameForm matches names of owners and repositories on GitHub and on Gitea (modules/validation/helpers.go,
// validUsernamePattern, and models/repo/repo.go, validRepoNamePattern).
var nameForm = regexp.MustCompile(`^[A-Za-z0-9._-]{1,100}$`)

// ValidName reports whether a text can be the name of an owner or a repository.
func ValidName(s string) bool { return nameForm.MatchString(s) && strings.Trim(s, ".") != "" }

// CheckRepo returns an error for a name that cannot be a repository's, to keep it out of paths.
func CheckRepo(op string, r codehost.Repo) error {
	if !ValidName(r.Owner) || !ValidName(r.Name) {
		return codehost.Refused(op, "owner and name must be those of a repository")
	}
	return nil
}

// CheckPull is [CheckRepo] with a pull request's number, which must be positive.
func CheckPull(op string, r codehost.Repo, number int) error {
	if number <= 0 {
		return codehost.Refused(op, "the pull request's number must be positive")
	}
	return CheckRepo(op, r)
}

// CheckCheck returns an error for a check that every host would refuse, before a request is sent.
func CheckCheck(op string, repo codehost.Repo, check codehost.Check) error {
	if err := CheckRepo(op, repo); err != nil {
		return err
	}
	return CheckStatus(op, check)
}

// CheckStatus is [CheckCheck] without its repository.
func CheckStatus(op string, check codehost.Check) error {
	switch {
	case !codehost.IsCommit(check.HeadSHA):
		return codehost.Refused(op, "the head must be a full commit id")
	case check.Name == "" || check.ExternalID == "":
		return codehost.Refused(op, "a check needs a name and an external id")
	case (check.Status == "completed") != (check.Conclusion != ""):
		return codehost.Refused(op, "a conclusion is needed when, and only when, the status is completed")
	}
	return nil
}

// StatusText returns the text of a commit status for a check: one line with at most most characters.
func StatusText(check codehost.Check, most int) string {
	text := strings.Join(strings.Fields(cmp.Or(check.Title.String(), check.Name)), " ")
	return clip.Runes(text, most, "…")
}

// CheckHook refuses a webhook without an absolute address or a secret, and returns the address.
func CheckHook(op, address string, key secret.Secret) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, codehost.Refused(op, "the address of a webhook must be absolute")
	}
	if !key.IsSet() {
		return nil, codehost.Refused(op, "a webhook needs a secret")
	}
	return u, nil
}

// EscapePath escapes each segment of a slash-separated path. ok is false if a segment is empty, "."
// or "..".
func EscapePath(path string) (escaped string, ok bool) {
	segments := strings.Split(path, "/")
	for i, s := range segments {
		if s == "" || s == "." || s == ".." {
			return "", false
		}
		segments[i] = url.PathEscape(s)
	}
	return strings.Join(segments, "/"), true
}
