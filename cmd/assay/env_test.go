package main

import (
	"syscall"
	"testing"
	"time"
)

func TestSignals(t *testing.T) {
	ctx, hard, stop := (&env{context: t.Context()}).signals()
	defer stop()
	ended := func(done <-chan struct{}) {
		t.Helper()
		select {
		case <-done:
		case <-time.After(20 * time.Second):
			t.Fatal("the signal had no effect")
		}
	}
	send := func() {
		t.Helper()
		if err := syscall.Kill(syscall.Getpid(), syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
	}
	send()
	ended(ctx.Done())
	if hard.Err() != nil {
		t.Fatal("the first signal stops at once")
	}
	send()
	ended(hard.Done())
}

func TestSignalsEndWithTheirOwner(t *testing.T) {
	ctx, hard, stop := (&env{context: t.Context()}).signals()
	stop()
	if ctx.Err() == nil || hard.Err() == nil {
		t.Error("a stopped owner leaves contexts behind")
	}
}
