package bitbucketcloud

import (
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
)

// noteID identifies a comment: the host asks for its pull request, too.
type noteID struct {
	number int
	note   int64
}

func (n noteID) id() domain.HostID {
	return domain.HostID(strconv.Itoa(n.number) + "." + strconv.FormatInt(n.note, 10))
}

// parseNote reads the id of a comment. An id in another form is [codehost.ClassNotFound].
func parseNote(op string, id domain.HostID) (noteID, error) {
	of, note, found := strings.Cut(string(id), ".")
	number, ok1 := domain.HostID(of).Number()
	n, ok2 := domain.HostID(note).Number()
	if !found || !ok1 || !ok2 || number <= 0 || number >= 1<<31 || n <= 0 {
		return noteID{}, &codehost.Error{Class: codehost.ClassNotFound, Op: op, Message: "this is not an id of a comment of this host"}
	}
	return noteID{number: int(number), note: n}, nil
}

// noteOf is [parseNote] for a comment of a pull request.
func noteOf(op string, number int, id domain.HostID) (noteID, error) {
	at, err := parseNote(op, id)
	if err == nil && at.number != number {
		err = &codehost.Error{Class: codehost.ClassNotFound, Op: op, Message: "the comment is of another pull request"}
	}
	return at, err
}

// validLogin reports whether a text can be a nickname, in which people may use blank space and letters of any script.
func validLogin(s string) bool {
	return s != "" && len(s) <= 200 && strings.TrimSpace(s) == s && !strings.ContainsAny(s, "/@\\\"") &&
		!strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f || r == 0xfffd })
}
