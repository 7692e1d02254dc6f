package dialect

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
)

// maxStatements is the maximum number of prepared statements per connection. The store has about half as
// many frequent texts.
const maxStatements = 400

// openKept opens a pool whose connections keep their prepared statements, because SQLite needs longer to
// parse a text than to run most statements. PostgreSQL's driver does the same by itself
// (https://pkg.go.dev/github.com/jackc/pgx/v5#QueryExecMode).
func openKept(name, dsn string) (*sql.DB, error) {
	registered, err := sql.Open(name, dsn)
	if err != nil {
		return nil, err
	}
	d := registered.Driver()
	return sql.OpenDB(keptConnector{d, dsn}), registered.Close()
}

type keptConnector struct {
	driver driver.Driver
	dsn    string
}

// Connect implements [driver.Connector].
func (k keptConnector) Connect(context.Context) (driver.Conn, error) {
	c, err := k.driver.Open(k.dsn)
	if err != nil {
		return nil, err
	}
	plain, ok := c.(plainConn)
	if !ok {
		return nil, errors.Join(fmt.Errorf("a connection of %T lacks what keeping statements needs", k.driver), c.Close())
	}
	return &keptConn{plainConn: plain, kept: map[string]*keptStmt{}}, nil
}

// Driver implements [driver.Connector].
func (k keptConnector) Driver() driver.Driver { return k.driver }

// plainConn holds the interfaces that database/sql uses on a connection.
type plainConn interface {
	driver.Conn
	driver.ConnPrepareContext
	driver.ConnBeginTx
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

type plainStmt interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

// keptConn is a connection that keeps prepared statements by their text. Like every connection it is used
// by one goroutine at a time. A transaction can run a text again while it still reads the rows of the first
// use.
type keptConn struct {
	plainConn
	kept map[string]*keptStmt
}

// keptStmt is a prepared statement; text is "" if it is not kept.
type keptStmt struct {
	plainStmt
	text string
	busy bool
}

// ExecContext implements [driver.ExecerContext].
func (c *keptConn) ExecContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Result, error) {
	s, err := c.take(ctx, text)
	if err != nil {
		return nil, err
	}
	res, err := s.ExecContext(ctx, args)
	return res, cmp.Or(err, c.give(s))
}

// QueryContext implements [driver.QueryerContext].
func (c *keptConn) QueryContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Rows, error) {
	s, err := c.take(ctx, text)
	if err != nil {
		return nil, err
	}
	rows, err := s.QueryContext(ctx, args)
	if err != nil {
		return nil, cmp.Or(err, c.give(s))
	}
	return &keptRows{rows, c, s}, nil
}

// Close implements [driver.Conn].
func (c *keptConn) Close() error {
	var all []error
	for _, s := range c.kept {
		all = append(all, s.Close())
	}
	clear(c.kept)
	return errors.Join(errors.Join(all...), c.plainConn.Close())
}

// take returns an idle statement for a text, prepared if necessary.
func (c *keptConn) take(ctx context.Context, text string) (*keptStmt, error) {
	old := c.kept[text]
	if old != nil && !old.busy {
		old.busy = true
		return old, nil
	}
	prepared, err := c.PrepareContext(ctx, text)
	if err != nil {
		return nil, err
	}
	plain, ok := prepared.(plainStmt)
	if !ok {
		return nil, errors.Join(fmt.Errorf("a statement is a %T, which cannot be kept", prepared), prepared.Close())
	}
	s := &keptStmt{plainStmt: plain, busy: true}
	if old == nil && c.room() {
		s.text = text
		c.kept[text] = s
	}
	return s, nil
}

// room reports whether another statement can be kept. It closes an arbitrary idle one if the limit is
// reached.
func (c *keptConn) room() bool {
	if len(c.kept) < maxStatements {
		return true
	}
	for text, s := range c.kept {
		if !s.busy {
			delete(c.kept, text)
			return s.Close() == nil
		}
	}
	return false
}

// give ends the use of a statement.
func (c *keptConn) give(s *keptStmt) error {
	s.busy = false
	if s.text == "" {
		return s.Close()
	}
	return nil
}

// keptRows returns its statement to the connection when it is closed.
type keptRows struct {
	driver.Rows
	conn *keptConn
	stmt *keptStmt
}

// Close implements [driver.Rows].
func (r *keptRows) Close() error {
	err := r.Rows.Close()
	if r.stmt == nil {
		return err
	}
	s := r.stmt
	r.stmt = nil
	return cmp.Or(err, r.conn.give(s))
}
