//! `cubicle cluster`: an exploration on several processes or machines.

mod args;
mod following;
mod here;
mod launch;
mod mutants;

use std::ffi::OsString;
use std::io::{Read, stdin};
use std::iter;
use std::net::TcpListener;
use std::os::fd::AsFd;
use std::sync::Arc;

use clap::Parser;
use cubicle_check::only_instance;
use cubicle_cluster::{Callbacks, Cluster, Secret, listen};
use cubicle_forward::{Instance, Manifest};
use cubicle_lang::load::{Allowed, ModelSource, in_a_line};
use cubicle_run::Interrupt;
use rand::TryRng;
use rand::rngs::SysRng;

pub use args::ClusterArgs;
use args::Started;
use following::Following;
use here::{Leading, explore_on};
use launch::Children;
use mutants::MutantTeam;

use super::mutate;
use crate::cli::args::Args;
use crate::cli::document::NoInvocation;
use crate::cli::failure::{Failure, cannot};
use crate::cli::kept::{self, ResumeArgs};
use crate::cli::lemmas::expected_end;
use crate::cli::model::{Invocation, parse_for, prepared, supervised};
use crate::cli::{document, exit, logging, settings};

/// The longest secret that is read from another process.
const MOST_SECRET: u64 = 4096;

pub fn run(told: ClusterArgs) -> u8 {
    let typed: Vec<OsString> = iter::once("cubicle".into()).chain(std::env::args_os().skip(1)).collect();
    let mutates = told.exploration.first().is_some_and(|word| word == "mutate");
    let ended = if mutates { mutate_together(&told, &typed) } else { start(&told, &typed, |_| Ok(())) };
    ended.unwrap_or_else(|refused| refused.end(&typed))
}

/// Goes on from a checkpoint of a cluster, as its process 0.
pub fn resume(again: ResumeArgs, manifest: &Manifest) -> u8 {
    let typed: Vec<OsString> = manifest.command.iter().map(OsString::from).collect();
    let words = iter::once("cubicle cluster".into()).chain(typed.iter().skip(2).cloned());
    let mut told = match ClusterArgs::try_parse_from(words) {
        Ok(told) => told,
        Err(error) => return NoInvocation::from(error).end(&[]),
    };
    told.workers = again.workers.unwrap_or(told.workers);
    (told.kept, told.memory) = (Some(again.folder.clone()), again.memory_limit);
    start(&told, &typed, |args| again.settle(args, manifest)).unwrap_or_else(|refused| refused.end(&typed))
}

/// Starts what the command line says; `settle` makes the last changes to the exploration. The exit code.
fn start(
    told: &ClusterArgs,
    typed: &[OsString],
    settle: impl FnOnce(&mut Args) -> Result<(), Failure>,
) -> Result<u8, NoInvocation> {
    let exploration = std::iter::once("cubicle".into()).chain(told.exploration.iter().cloned()).collect();
    let for_cluster = |args: &mut Args| {
        args.cluster = true;
        args.only_forward |= args.brab.is_none() && args.engine.is_none();
    };
    let mut asked = parse_for(exploration, typed, for_cluster)?;
    let args = &mut asked.args;
    if told.started.is_some() {
        args.memory_limit = told.memory.or(args.memory_limit);
        args.checkpoint = told.kept.clone().or_else(|| args.checkpoint.take());
    }
    settle(args)?;
    let (cluster, children) = cluster(told)?;
    if cluster.me > 0 {
        return Ok(follow(&asked, cluster, told.started.is_some(), typed)?);
    }
    asked.remote = Some(Arc::new(Leading::new(cluster, children, asked.args.profile)));
    Ok(supervised(asked))
}

/// Examines mutants; the exit code.
fn mutate_together(told: &ClusterArgs, typed: &[OsString]) -> Result<u8, NoInvocation> {
    let mut args = mutate::parse(&told.exploration[1..])?;
    mutants::fits(&args)?;
    args.jobs = told.workers;
    let (cluster, children) = cluster(told)?;
    Ok(if cluster.me > 0 {
        mutants::follow(&args, cluster, told.started.is_some(), typed)
    } else {
        mutate::run_with(args, Some(Box::new(MutantTeam::new(cluster, children))))
    })
}

/// The cluster as this process sees it, and the processes that it started.
fn cluster(told: &ClusterArgs) -> Result<(Cluster, Children), Failure> {
    let mut cluster = Cluster {
        me: told.process.map_or(0, usize::from),
        addresses: told.addresses.clone(),
        workers: usize::from(told.workers),
        listener: TcpListener::bind("127.0.0.1:0").map_err(cannot("cannot listen"))?,
        secret: Secret::none(),
        wait: told.wait,
        at_once: told.started == Some(Started::Local) || told.local.is_some(),
        kept: Arc::default(),
    };
    if let Some(processes) = told.local {
        let mut secret = [0u8; 32];
        SysRng.try_fill_bytes(&mut secret).map_err(cannot("no random numbers"))?;
        let digits: String = secret.iter().map(|byte| format!("{byte:02x}")).collect();
        cluster.secret = Secret::new(digits.as_bytes()).map_err(Failure::internal)?;
        let mut listeners: Vec<TcpListener> = (0..processes)
            .map(|_| listen("127.0.0.1:0"))
            .collect::<Result<_, _>>()
            .map_err(Failure::internal)?;
        let address = |listener: &TcpListener| listener.local_addr().map(|address| address.to_string());
        cluster.addresses =
            listeners.iter().map(address).collect::<Result<_, _>>().map_err(cannot("cannot listen"))?;
        let others = listeners.split_off(1);
        cluster.listener = listeners.remove(0);
        let children = Children::here(told, &cluster.addresses, others, &cluster.secret)?;
        return Ok((cluster, children));
    }
    match told.started {
        Some(Started::Local) => {
            let inherited = stdin().as_fd().try_clone_to_owned();
            cluster.listener = TcpListener::from(inherited.map_err(Failure::internal)?);
            let secret = std::env::var(launch::SECRET).unwrap_or_default();
            cluster.secret = Secret::new(secret.as_bytes()).map_err(Failure::internal)?;
            return Ok((cluster, Children::default()));
        }
        Some(Started::Ssh) => {
            let mut secret = Vec::new();
            let read = stdin().lock().take(MOST_SECRET).read_to_end(&mut secret);
            read.map_err(cannot("cannot read the secret"))?;
            if !secret.is_empty() {
                cluster.secret = Secret::new(&secret).map_err(Failure::internal)?;
            }
        }
        None => {
            let path = told.hosts.as_deref().expect("clap asks for it");
            cluster.addresses = launch::read_hosts(path)?;
            if let Some(path) = &told.secret {
                cluster.secret = Secret::read(path).map_err(Failure::usage)?;
            }
        }
    }
    let processes = cluster.addresses.len();
    if cluster.me >= processes {
        let why = format!("there is no process {}: the hosts are {processes}", cluster.me);
        return Err(Failure::usage(why));
    }
    if cluster.secret.bytes().is_empty() && !launch::are_here(&cluster.addresses) {
        let why = "hosts beyond this machine need --secret FILE, lest strangers take part";
        return Err(Failure::usage(why));
    }
    cluster.listener = listen(&cluster.addresses[cluster.me]).map_err(Failure::internal)?;
    if told.started.is_some() || told.process.is_some() {
        return Ok((cluster, Children::default()));
    }
    let children = Children::elsewhere(told, &cluster.addresses, &cluster.secret)?;
    Ok((cluster, children))
}

/// Takes part in the exploration that process 0 leads, silently unless something is wrong; the exit code.
fn follow(asked: &Invocation, cluster: Cluster, started: bool, typed: &[OsString]) -> Result<u8, Failure> {
    logging::to_stderr();
    let args = &asked.args;
    let mut following = Following::new(&cluster, started, typed);
    let interrupt = Interrupt::default();
    let (system, text) = prepared(args, &Following::messages())?;
    let whole = settings::options(args, &system, &Allowed::default());
    let (procs, options) = only_instance(&system, &whole);
    let mut options = options.into_owned();
    if let Some(cube) = &args.expected_end {
        match expected_end(ModelSource::new(&system, &text), cube) {
            Ok(end) => options.expected_end = end,
            Err(errors) => {
                let why = format!("--final: {}", in_a_line(cube, &errors));
                return Ok(following.failed(exit::USAGE, &why));
            }
        }
    }
    // The leading process checks the clock, for all.
    options.time = None;
    options.checkpoint = kept::checkpoint(args, &system, Vec::new());
    following.keeps(options.checkpoint.as_ref());
    if cubicle_forward::walks(&options) {
        let walked = here::follow(cluster, &system, procs, &options, &interrupt, &following);
        return Ok(following.ended(walked));
    }
    // When it cannot be explored, the leading process says so.
    let Ok(instance) = Instance::new(&system, procs, &options, &interrupt) else {
        return Ok(document::ended(typed, exit::OK, None));
    };
    let (stop, log) = (|| following.leaves(), |what: &str| following.log(what));
    let callbacks = Callbacks { log: &log, stop: &stop, progress: &mut |_, _, _| {} };
    let explored = explore_on(cluster, &system, &instance, &options, &interrupt, callbacks, false);
    Ok(following.ended(explored.map(drop)))
}
