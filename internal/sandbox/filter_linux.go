//go:build linux && (amd64 || arm64)

package sandbox

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"syscall"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// Offsets of fields of struct seccomp_data (linux/seccomp.h). The filter reads only the low half of an
// argument, because the kernel uses no more of the arguments in question.
const (
	dataNumber = 0
	dataArch   = 4
	dataArgs   = 16
)

// newNamespaces are the flags of clone(2) that make namespaces.
const newNamespaces = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC |
	unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP

// mapType is the mask of the flags of mmap(2) for the sharing of memory (MAP_TYPE).
const mapType = 0x0f

// refusedCalls reach the network, another process, or objects that outlive the process. Open pipes still
// work, because they need only read, write and close.
var refusedCalls = slices.Concat(ownCalls, []uint32{
	// sockets
	unix.SYS_SOCKET, unix.SYS_SOCKETPAIR, unix.SYS_CONNECT, unix.SYS_BIND, unix.SYS_LISTEN, unix.SYS_ACCEPT, unix.SYS_ACCEPT4,
	unix.SYS_SENDTO, unix.SYS_SENDMSG, unix.SYS_SENDMMSG, unix.SYS_RECVFROM, unix.SYS_RECVMSG, unix.SYS_RECVMMSG, unix.SYS_SHUTDOWN,
	unix.SYS_GETSOCKOPT, unix.SYS_SETSOCKOPT, unix.SYS_GETSOCKNAME, unix.SYS_GETPEERNAME,
	// ways around system calls, and around this filter
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER, unix.SYS_IO_SETUP, unix.SYS_IO_SUBMIT,
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD,
	// other processes
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PROCESS_MADVISE, unix.SYS_PIDFD_OPEN,
	unix.SYS_PIDFD_GETFD,
	unix.SYS_PIDFD_SEND_SIGNAL, unix.SYS_KCMP, unix.SYS_TKILL, unix.SYS_RT_SIGQUEUEINFO, unix.SYS_RT_TGSIGQUEUEINFO, unix.SYS_SETPRIORITY,
	unix.SYS_PROCESS_MRELEASE, unix.SYS_SCHED_SETAFFINITY, unix.SYS_SCHED_SETSCHEDULER, unix.SYS_SCHED_SETPARAM, unix.SYS_SCHED_SETATTR,
	unix.SYS_IOPRIO_SET, unix.SYS_MIGRATE_PAGES, unix.SYS_MOVE_PAGES,
	// memory that the limit of the child does not count
	unix.SYS_MEMFD_CREATE, unix.SYS_MEMFD_SECRET,
	// attributes of files, which Landlock leaves to the owner of a file
	unix.SYS_FCHMOD, unix.SYS_FCHMODAT, unix.SYS_FCHMODAT2, unix.SYS_FCHOWN, unix.SYS_FCHOWNAT, unix.SYS_UTIMENSAT, unix.SYS_SETXATTR,
	unix.SYS_LSETXATTR, unix.SYS_FSETXATTR, unix.SYS_SETXATTRAT, unix.SYS_REMOVEXATTR, unix.SYS_LREMOVEXATTR, unix.SYS_FREMOVEXATTR,
	unix.SYS_REMOVEXATTRAT, unix.SYS_FILE_SETATTR,
	// programs, and the process group by which the parent ends the child
	unix.SYS_EXECVE, unix.SYS_EXECVEAT, unix.SYS_SETSID, unix.SYS_SETPGID,
	// queues, memory and keys that other processes see
	unix.SYS_MSGGET, unix.SYS_MSGSND, unix.SYS_MSGRCV, unix.SYS_MSGCTL, unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_SHMCTL, unix.SYS_SEMGET,
	unix.SYS_SEMOP, unix.SYS_SEMTIMEDOP, unix.SYS_SEMCTL, unix.SYS_MQ_OPEN, unix.SYS_MQ_UNLINK, unix.SYS_MQ_TIMEDSEND,
	unix.SYS_MQ_TIMEDRECEIVE, unix.SYS_MQ_NOTIFY, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL,
	// namespaces, mounts, the kernel
	unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_OPEN_TREE,
	unix.SYS_MOVE_MOUNT, unix.SYS_FSOPEN, unix.SYS_FSPICK, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_MOUNT_SETATTR,
	unix.SYS_NAME_TO_HANDLE_AT, unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_FANOTIFY_INIT, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE,
	unix.SYS_DELETE_MODULE, unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD, unix.SYS_SYSLOG, unix.SYS_ACCT,
	// the machine, where the service runs as root
	unix.SYS_REBOOT, unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME, unix.SYS_SETTIMEOFDAY,
	unix.SYS_CLOCK_SETTIME, unix.SYS_CLOCK_ADJTIME, unix.SYS_ADJTIMEX, unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD, unix.SYS_VHANGUP,
})

// executing are the refused calls by which a program starts.
var executing = []uint32{unix.SYS_EXECVE, unix.SYS_EXECVEAT}

// talking are the refused calls by which processes of one program talk to each other over pairs of sockets. They open no
// socket.
var talking = slices.Concat(forkingCalls, []uint32{unix.SYS_SOCKETPAIR, unix.SYS_SENDTO, unix.SYS_SENDMSG, unix.SYS_SENDMMSG,
	unix.SYS_RECVFROM, unix.SYS_RECVMSG, unix.SYS_RECVMMSG, unix.SYS_SHUTDOWN, unix.SYS_GETSOCKOPT, unix.SYS_SETSOCKOPT,
	unix.SYS_GETSOCKNAME, unix.SYS_GETPEERNAME})

// refused returns the calls that the filter refuses whatever their arguments are.
func (p powers) refused() []uint32 {
	return slices.DeleteFunc(slices.Clone(refusedCalls), func(call uint32) bool {
		return p.program && slices.Contains(executing, call) || p.processes && slices.Contains(talking, call)
	})
}

// filter returns the program that the kernel runs before each system call of the process pid. It refuses
// refusedCalls and calls of another architecture with EPERM, and newer calls and those of x32 with ENOSYS. Powers
// relax that.
func filter(pid int, p powers) []bpf.Instruction {
	refuse := func(errno syscall.Errno) bpf.Instruction {
		return bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(errno)}
	}
	number := bpf.LoadAbsolute{Off: dataNumber, Size: 4}
	out := []bpf.Instruction{
		bpf.LoadAbsolute{Off: dataArch, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: arch, SkipTrue: 1},
		refuse(unix.EPERM),
		number,
		bpf.JumpIf{Cond: bpf.JumpGreaterThan, Val: newestCall, SkipFalse: 1},
		refuse(unix.ENOSYS),
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.SYS_CLONE3, SkipTrue: 1}, // its flags are in memory; programs fall back to clone
		refuse(unix.ENOSYS),
	}
	for _, call := range p.refused() {
		out = append(out, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: call, SkipTrue: 1}, refuse(unix.EPERM))
	}
	look := func(call, arg, mask uint32, allowed bpf.JumpIf) { // allowed tests masked bits of an argument
		allowed.SkipTrue = 1
		out = append(out, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: call, SkipTrue: 5},
			bpf.LoadAbsolute{Off: dataArgs + 8*arg, Size: 4}, bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: mask}, allowed, refuse(unix.EPERM), number)
	}
	only := func(call uint32, allowed bpf.JumpIf) { look(call, 0, math.MaxUint32, allowed) }
	self := bpf.JumpIf{Cond: bpf.JumpEqual, Val: uint32(pid)} //nolint:gosec // positive
	if p.processes {                                          // they have a namespace of their own, so their signals reach only each other
		only(unix.SYS_CLONE, bpf.JumpIf{Cond: bpf.JumpBitsNotSet, Val: newNamespaces})
		only(unix.SYS_SOCKETPAIR, bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.AF_UNIX})
	} else {
		only(unix.SYS_CLONE, bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: unix.CLONE_THREAD}) // threads but no processes
		only(unix.SYS_KILL, self)
		only(unix.SYS_TGKILL, self)
	}
	only(unix.SYS_PRCTL, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.PR_SET_PDEATHSIG}) // the child must end with its parent
	only(unix.SYS_PRLIMIT64, bpf.JumpIf{Cond: bpf.JumpEqual, Val: 0})                    // only its own limits
	for _, command := range []uint32{unix.F_SETOWN, unix.F_SETOWN_EX, unix.F_SETSIG} {   // they signal another process
		look(unix.SYS_FCNTL, 1, math.MaxUint32, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: command})
	}
	if !p.program { // the memory limit counts only private memory; programs have a limit of address space, too
		look(unix.SYS_MMAP, 3, mapType, bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.MAP_PRIVATE})
	}
	return append(out, bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW})
}

// filterCalls blocks the network and other processes for all threads of this process, which must have given
// up new privileges.
func filterCalls(p powers) error {
	raw, err := bpf.Assemble(filter(os.Getpid(), p))
	if err != nil {
		return fmt.Errorf("assemble the filter: %w", err)
	}
	if len(raw) > math.MaxUint16 {
		return fmt.Errorf("the filter has %d instructions", len(raw))
	}
	list := make([]unix.SockFilter, len(raw))
	for i, r := range raw {
		list[i] = unix.SockFilter{Code: r.Op, Jt: r.Jt, Jf: r.Jf, K: r.K}
	}
	program := unix.SockFprog{Len: uint16(len(list)), Filter: &list[0]} //nolint:gosec // bounded above
	thread, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC,
		uintptr(unsafe.Pointer(&program)))
	runtime.KeepAlive(list)
	switch {
	case errno != 0:
		return errno
	case thread != 0:
		return fmt.Errorf("thread %d has another filter", thread)
	}
	return nil
}
