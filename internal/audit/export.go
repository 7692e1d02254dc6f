package audit

import (
	"bufio"
	"context"
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
)

// The formats of an export.
const (
	JSONL = "jsonl"
	CSV   = "csv"
)

// fileFormat names the form of exported JSON Lines.
const fileFormat = "assay-audit/1"

// fileHead is the first line of exported JSON Lines.
type fileHead struct {
	Format     string `json:"format"`
	Log        string `json:"log"`
	Size       int64  `json:"size"`
	Key        string `json:"key"`
	Checkpoint string `json:"checkpoint"`
}

// fileLine is every further line. An erased entry has no salt and no body.
type fileLine struct {
	Seq      int64           `json:"seq"`
	At       string          `json:"at"`
	Action   string          `json:"action"`
	Result   string          `json:"result"`
	Log      string          `json:"log"`
	BodyHash string          `json:"bodyHash"`
	Salt     string          `json:"salt,omitempty"`
	Leaf     string          `json:"leaf"`
	Body     json.RawMessage `json:"body,omitempty"`
}

// columns are the header of exported CSV. The column body has the verifier key in the row of kind "key",
// and the signed head in the row of kind "checkpoint".
var columns = [...]string{"kind", "seq", "at", "action", "result", "log", "actor_kind", "actor_id", "actor_name", "actor_method",
	"actor_address",
	"target_kind", "target_id", "target_name", "note", "body_hash", "salt", "leaf", "body"}

// Indexes of columns.
const (
	colKind = iota
	colSeq
	colAt
	colAction
	colResult
	colLog
	colActorKind
	colActorID
	colActorName
	colActorMethod
	colActorAddress
	colTargetKind
	colTargetID
	colTargetName
	colNote
	colBodyHash
	colSalt
	colLeaf
	colBody
)

// Export writes a whole log, as it was when the call began, in a format that [VerifyFile] checks without
// the service. Its memory does not grow with the log. After an error the output is incomplete, and
// VerifyFile reports it as such.
func (l *Log) Export(ctx context.Context, t domain.Tenant, format string, w io.Writer) error {
	key, err := l.key(ctx)
	if err != nil {
		return err
	}
	log, err := l.store.AuditLogOf(ctx, t)
	if err != nil && !errs.Is(err, errs.NotFound) {
		return err
	}
	h := fileHead{fileFormat, store.LogID(t), log.Size, key.verifier, log.Head}
	out := bufio.NewWriterSize(w, 64<<10)
	write := lines(out, h)
	if format == CSV {
		write = rows(out, h)
	}
	if err := write(nil); err != nil {
		return err
	}
	for next := int64(0); next < log.Size; {
		page, err := l.store.AuditEntriesFrom(ctx, t, next, pageSize)
		if err != nil {
			return err
		}
		for i := range page {
			if page[i].Seq < log.Size {
				if err := write(&page[i]); err != nil {
					return err
				}
			}
		}
		if len(page) < pageSize {
			break
		}
		next = page[len(page)-1].Seq + 1
	}
	return out.Flush()
}

// lines returns a function that writes one line of JSON: the head for nil, otherwise the entry.
func lines(w io.Writer, h fileHead) func(e *store.AuditEntry) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return func(e *store.AuditEntry) error {
		if e == nil {
			return enc.Encode(h)
		}
		line := fileLine{Seq: e.Seq, At: stamp(e.AtUS), Action: e.Action, Result: e.Result, Log: h.Log, BodyHash: hexa(e.BodyHash),
			Salt: hexa(e.Salt), Leaf: hexa(e.Leaf)}
		if json.Valid([]byte(e.Body)) { // a damaged body is left out; the verification reports it
			line.Body = json.RawMessage(e.Body)
		}
		return enc.Encode(line)
	}
}

// rows is the counterpart of lines for CSV.
func rows(out io.Writer, h fileHead) func(e *store.AuditEntry) error {
	w := csv.NewWriter(out)
	return func(e *store.AuditEntry) error {
		if e == nil {
			key, head := make([]string, len(columns)), make([]string, len(columns))
			key[colKind], key[colLog], key[colBody] = "key", h.Log, h.Key
			head[colKind], head[colSeq], head[colLog], head[colBody] = "checkpoint", strconv.FormatInt(h.Size, 10), h.Log, h.Checkpoint
			for _, row := range [][]string{columns[:], key, head} {
				if err := w.Write(row); err != nil {
					return err
				}
			}
		} else {
			row := make([]string, len(columns))
			row[colKind], row[colSeq], row[colAt], row[colAction], row[colResult], row[colLog] = "entry", strconv.FormatInt(e.Seq, 10),
				stamp(e.AtUS), cell(e.Action), cell(e.Result), h.Log
			row[colBodyHash], row[colSalt], row[colLeaf], row[colBody] = hexa(e.BodyHash), hexa(e.Salt), hexa(e.Leaf), e.Body
			var b entryBody
			if json.Unmarshal([]byte(e.Body), &b) == nil {
				b.cells(row)
			}
			if err := w.Write(row); err != nil {
				return err
			}
		}
		w.Flush()
		return w.Error()
	}
}

// cells fills the columns that repeat parts of the body.
func (b entryBody) cells(row []string) {
	for i, v := range map[int]string{colActorKind: b.Actor.Kind, colActorID: b.Actor.ID, colActorName: b.Actor.Name,
		colActorMethod: b.Actor.Method, colActorAddress: b.Actor.Address,
		colTargetKind: b.Target.Kind, colTargetID: b.Target.ID, colTargetName: b.Target.Name, colNote: b.Note} {
		row[i] = cell(v)
	}
}

// cell makes text from outside harmless for a spreadsheet. It puts an apostrophe before a possible formula
// (OWASP, CSV injection) and replaces control characters, line breaks included, by spaces.
func cell(v string) string {
	v = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, v)
	if first := strings.TrimLeft(v, " "); first != "" && strings.ContainsRune("=+-@＝＋－＠", []rune(first)[0]) {
		return "'" + v
	}
	return v
}

// hash parses a hexadecimal hash of the tree. It returns the zero hash for any other text.
func hash(text string) tlog.Hash {
	if b, ok := unhex(text); ok && len(b) == tlog.HashSize {
		return tlog.Hash(b)
	}
	return tlog.Hash{}
}
