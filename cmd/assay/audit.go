package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/config"
	"github.com/assay-dev/assay/internal/store"
)

type auditCmd struct {
	Verify auditVerifyCmd `cmd:"" help:"Verify an exported audit log, without the service."`
	Key    auditKeyCmd    `cmd:"" help:"Print the key that signatures of the audit logs are verified with."`
}

type auditVerifyCmd struct {
	File       string `arg:"" help:"File that …/audit/export wrote, JSON Lines or CSV."`
	Key        string `placeholder:"KEY" help:"Verifier key, as assay audit key prints it. Without it, the one in the file is believed."`
	Checkpoint string `placeholder:"FILE" help:"File with a checkpoint that was kept elsewhere; the log must contain what it vouches for."`
	JSON       bool   `name:"json" help:"Print JSON."`
}

// Help implements kong.HelpProvider.
func (auditVerifyCmd) Help() string {
	return `The exit code is 0 where the log is whole, and 1 where something is wrong with it or with the file.

Examples:

    assay audit verify audit.jsonl --key "$(cat audit.key)"
    assay audit verify audit.csv --key "$(cat audit.key)" --checkpoint last-month.txt`
}

// maxCheckpointFile bounds the file with a checkpoint, in bytes.
const maxCheckpointFile = 64 << 10

// Run implements the command.
func (v *auditVerifyCmd) Run(e *env) error {
	older := ""
	if v.Checkpoint != "" {
		if info, err := os.Stat(v.Checkpoint); err == nil && info.Size() > maxCheckpointFile {
			return errors.New("the file of the checkpoint is too large for one")
		}
		b, err := os.ReadFile(v.Checkpoint)
		if err != nil {
			return fmt.Errorf("read the checkpoint: %w", err)
		}
		older = string(b)
	}
	f, err := os.Open(v.File)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	r, err := audit.VerifyFile(f, strings.TrimSpace(v.Key), older)
	if err != nil {
		return err
	}
	if v.JSON {
		if err := writeJSON(e.stdout, r); err != nil {
			return err
		}
	} else if err := v.print(e, r); err != nil {
		return err
	}
	if v.Key == "" {
		e.say("The key came with the file; compare it with what `assay audit key` prints on the server, or give it with --key.")
	}
	if !r.OK {
		return quiet(exitFailed)
	}
	return nil
}

func (v *auditVerifyCmd) print(e *env, r audit.LogReport) error {
	if r.OK {
		_, err := fmt.Fprintf(e.stdout, "The log %s is whole: %d entries, %d of them with their bodies erased.\n", printable(r.Log),
			r.Size, r.Erased)
		if err == nil && r.Compared != nil {
			_, err = fmt.Fprintf(e.stdout, "It contains the %d entries that the checkpoint vouches for.\n", *r.Compared)
		}
		return err
	}
	var rows [][]string
	for _, f := range r.Findings {
		where := "-"
		if f.Seq != nil {
			where = fmt.Sprint(*f.Seq)
		}
		if f.Count > 1 {
			where += fmt.Sprintf(" and %d more", f.Count-1)
		}
		rows = append(rows, []string{f.Kind, where, cell(f.Message, 200)})
	}
	if err := table(e.stdout, []string{"WRONG", "ENTRY", "WHAT"}, rows); err != nil {
		return err
	}
	if r.More {
		e.say("There is more that is wrong; the list is cut off.")
	}
	e.say("The log %s is not the one that was written.", printable(r.Log))
	return nil
}

type auditKeyCmd struct{}

// Help implements kong.HelpProvider.
func (auditKeyCmd) Help() string {
	return `The key is public. Keep it in a place that administrators of the database cannot change.

Examples:

    assay audit key > audit.key`
}

// Run implements the command.
func (auditKeyCmd) Run(e *env) error {
	return e.withAudit(func(ctx context.Context, _ config.Config, _ *store.Store, l *audit.Log) error {
		key, err := l.Key(ctx)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(e.stdout, key)
		return err
	})
}
