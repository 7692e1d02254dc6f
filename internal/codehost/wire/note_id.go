package wire

import (
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
)

// NoteID identifies a comment on a host that asks for the pull request of a comment, too. The port's id has both numbers, such as "7.301".
type NoteID struct {
	Number int
	Note   int64
}

// ID returns the port's id of the comment.
func (n NoteID) ID() domain.HostID { return JoinNumbers(n.Number, n.Note) }

// NoteOf reads the id of a comment of a pull request, or of any pull request if number is 0. An id in another form, or of another pull
// request, is [codehost.ClassNotFound].
func NoteOf(op string, number int, id domain.HostID) (NoteID, error) {
	parts, err := NumbersOf(op, number, id, 2)
	if err != nil {
		return NoteID{}, err
	}
	return NoteID{Number: int(parts[0]), Note: parts[1]}, nil
}

// JoinNumbers returns an id that consists of a pull request's number and further numbers.
func JoinNumbers(number int, more ...int64) domain.HostID {
	out := strconv.Itoa(number)
	for _, n := range more {
		out += "." + strconv.FormatInt(n, 10)
	}
	return domain.HostID(out)
}

// NumbersOf reads an id that [JoinNumbers] returned, with count positive numbers. The first one must be number, unless that is 0. Other
// ids are [codehost.ClassNotFound].
func NumbersOf(op string, number int, id domain.HostID, count int) ([]int64, error) {
	none := &codehost.Error{Class: codehost.ClassNotFound, Op: op, Message: "this is not an id of a comment of this host"}
	parts := strings.Split(string(id), ".")
	if len(parts) != count {
		return nil, none
	}
	out := make([]int64, count)
	for i, p := range parts {
		n, ok := domain.HostID(p).Number()
		if !ok || n <= 0 || i == 0 && n >= 1<<31 {
			return nil, none
		}
		out[i] = n
	}
	if number != 0 && out[0] != int64(number) {
		none.Message = "the comment is of another pull request"
		return nil, none
	}
	return out, nil
}
