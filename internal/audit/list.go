package audit

import (
	"context"
	"encoding/json"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// LogEntry is an entry as the API shows it.
type LogEntry struct {
	Seq     int64       `json:"seq" doc:"Place in the log, from 0"`
	At      time.Time   `json:"at"`
	Action  string      `json:"action" doc:"What was done: noun.verb"`
	Result  string      `json:"result" enum:"ok,refused,failed"`
	Erased  bool        `json:"erased,omitempty" doc:"The body was erased: who, on what and what changed are gone"`
	Actor   *LogActor   `json:"actor,omitempty" doc:"Who did it, as it was then"`
	Target  *LogTarget  `json:"target,omitempty" doc:"Object of the act. The name is text that a person entered"`
	Changes []LogChange `json:"changes,omitempty" doc:"Fields with their values before and after; of secrets only that they were set, changed or cleared"`
	Note    string      `json:"note,omitempty"`
	Leaf    string      `json:"leaf" doc:"Hash of the entry in the tree, hexadecimal"`
}

// LogActor, LogTarget and LogChange are parts of a [LogEntry].
type (
	LogActor  EntryActor
	LogTarget Target
	LogChange Change
)

// Entries lists the matching entries of a log, newest first.
func (l *Log) Entries(ctx context.Context, t domain.Tenant, f store.AuditFilter) ([]LogEntry, error) {
	rows, err := l.store.AuditEntries(ctx, t, f)
	out := make([]LogEntry, len(rows))
	for i, row := range rows {
		e := LogEntry{Seq: row.Seq, At: time.UnixMicro(row.AtUS).UTC(), Action: row.Action, Result: row.Result, Erased: row.Body == "",
			Leaf: hexa(row.Leaf)}
		var b entryBody
		if !e.Erased && json.Unmarshal([]byte(row.Body), &b) == nil { // the verification reports a damaged body
			e.Actor, e.Target, e.Note = (*LogActor)(&b.Actor), (*LogTarget)(&b.Target), b.Note
			for _, c := range b.Changes {
				e.Changes = append(e.Changes, LogChange(c))
			}
		}
		out[i] = e
	}
	return out, err
}
